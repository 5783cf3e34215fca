#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fi_getinfo() of the provider: each FEP and job without configuration, variables that
# choose, and hints that cannot be met.

. "$(dirname "$0")/lib.sh"

needs fi_info libfabric-bin

# shown ARGS...: "provider domain" of each answer
shown()
{
	on 1 fi_info -p uet "$@" 2>&1 | awk '
		/^provider:/ { provider = $2 }
		/domain:/ { print provider, $2 }
		/^fi_getinfo/ { print }'
}

setup_fabric --nodes 2
assert_eq "fi_info shows the only FEP of the only job" "$(shown)" "uet fep0"
must ip -n "${NS[1]}" addr add 10.0.1.1/32 dev fa0
must ue 1 fep add fep1 addr 10.0.1.1 rails r0 mtu "$MTU"
must ue 1 job add 2 feps fep0,fep1
assert_eq "fi_info shows each FEP of each job" "$(shown | sort | uniq -c | xargs)" \
	"2 uet fep0 1 uet fep1"
assert_eq "UET_JOB chooses a job" "$(UET_JOB=1 shown)" "uet fep0"
assert_eq "FI_UET_JOB chooses a job, before UET_JOB" \
	"$(UET_JOB=1 FI_UET_JOB=2 shown | sort | xargs)" "uet fep0 uet fep1"
for wrong in FI_UET_PID=4096 FI_UET_PID=-1 FI_UET_JOB=abc FI_UET_JOB=16777216 UET_JOB=0 \
		FI_UET_RENDEZVOUS=64K; do
	assert_match "$wrong is refused" "$(export "${wrong?}"; shown)" "fi_getinfo: -61"
done
assert_match "the log names the variable and the limits" \
	"$(FI_UET_PID=4096 FI_LOG_LEVEL=warn on 1 fi_info -p uet 2>&1)" \
	"FI_UET_PID '4096' is not a number 0..4095"
assert_eq "a domain is a FEP" "$(shown -d fep1)" "uet fep1"
assert_match "endpoints with connections are not offered" "$(shown -t FI_EP_MSG)" "fi_getinfo: -61"
assert_match "a domain without a FEP is not offered" "$(shown -d fep7)" "fi_getinfo: -61"
assert_match "triggered operations are not offered" "$(shown -c FI_TRIGGER)" "fi_getinfo: -61"
assert_match "the log has the reason" \
	"$(FI_LOG_LEVEL=info on 1 fi_info -p uet -c FI_TRIGGER 2>&1)" \
	"no: caps has a capability that the provider does not have"
assert_eq "uet_linux is the same provider" \
	"$(on 1 fi_info -p uet_linux -d fep1 2>&1 | awk '/^provider:/ { print $2 }')" "uet_linux"
assert_eq "FI_PROVIDER=uet_linux selects it" \
	"$(FI_PROVIDER=uet_linux on 1 fi_info -d fep1 2>&1 | awk '/^provider:/ { print $2 }')" \
	"uet_linux"
assert_eq "uet_linux has the variables of uet" \
	"$(FI_UET_JOB=1 on 1 fi_info -p uet_linux 2>&1 | grep -c '^provider: uet_linux')" 1
assert_match "uet_linux does not answer whoever does not name it" \
	"$(on 1 fi_info 2>&1 | awk '/^provider: uet/ { print $2 }' | sort -u | xargs)" '^uet$'
finish_tests
