# SPDX-License-Identifier: GPL-2.0
#
# Files of the system ring, for the scripts that source this: those of the host's
# build directory, and those that the tests put into the system beside the packages.
# shellcheck shell=bash disable=SC2034

REPO=$(readlink -f "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../..")
WORK=$REPO/build/system
# Where uet-dkms looks for something that was built elsewhere.
ARCHIVE_DIR=/usr/share/uet-dkms
AS_INSTALLED=/root/uetd.conf.as-installed
NETWORK_UNIT=/etc/systemd/system/test-network.service
DROP_IN=/etc/systemd/system/uetd.service.d
TMP_LOG=/root/dpkg.log
# Seconds since the start of the kernel: when prepare began, and ended.
PREPARED=/root/prepared
