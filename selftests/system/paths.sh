# SPDX-License-Identifier: GPL-2.0
#
# File names of the system ring, for the scripts that source this: files in the
# host's build directory, and files that the tests add to the system beside the
# packages.
# shellcheck shell=bash disable=SC2034

REPO=$(readlink -f "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../..")
WORK=$REPO/build/system
# The directory where uet-dkms looks for prebuilt modules.
ARCHIVE_DIR=/usr/share/uet-dkms
AS_INSTALLED=/root/uetd.conf.as-installed
NETWORK_UNIT=/etc/systemd/system/test-network.service
DROP_IN=/etc/systemd/system/uetd.service.d
TMP_LOG=/root/dpkg.log
# Seconds since kernel start at which prepare began and ended.
PREPARED=/root/prepared
