# SPDX-License-Identifier: GPL-2.0
#
# The part of guest, which sources this file, that starts systemd.  The host's own
# units are removed from the overlay, the caller's --prepare command runs as on a
# system that is not running, and systemd boots to multi-user.target, which runs the
# command as a service.
# shellcheck shell=bash

# Units that are slow, or that need devices a VM lacks, and that no test needs.
systemd_masked=(systemd-binfmt.service systemd-firstboot.service
	systemd-journal-flush.service systemd-logind.service
	systemd-pcrphase-sysinit.service systemd-pcrphase.service
	systemd-random-seed.service systemd-repart.service
	systemd-update-utmp-runlevel.service systemd-update-utmp.service
	dev-hugepages.mount dev-mqueue.mount
	sys-fs-fuse-connections.mount sys-kernel-config.mount
	proc-sys-fs-binfmt_misc.automount getty.target
	modprobe@drm.service modprobe@dm_mod.service modprobe@loop.service
	modprobe@efi_pstore.service modprobe@fuse.service
	modprobe@configfs.service systemd-tmpfiles-clean.timer)

# systemd_forget: remove the host's configuration from the overlay
systemd_forget()
{
	rm -rf /etc/systemd/system/*.{wants,requires} /etc/rc?.d/*
	: > /etc/fstab
	rm -rf /var/log/journal
	# These files would make systemd detect a container and skip work; packages
	# would refuse to start services.
	rm -f /.dockerenv /usr/sbin/policy-rc.d
	# systemd-tmpfiles would empty /tmp, where the caller may have files.
	mkdir -p /etc/tmpfiles.d
	ln -sf /dev/null /etc/tmpfiles.d/tmp.conf
}

# systemd_units: mask units, and write the service that runs the command
systemd_units()
{
	local dir=/run/systemd/system unit

	mkdir -p $dir/multi-user.target.wants
	for unit in "${systemd_masked[@]}"; do
		ln -s /dev/null "$dir/$unit"
	done
	cat > $dir/vm-job.service <<-X
	[Unit]
	Description=The command of selftests/vm/run
	After=dbus.socket
	Wants=dbus.socket
	[Service]
	Type=exec
	ExecStart=/bin/bash $1
	X
	ln -s ../vm-job.service $dir/multi-user.target.wants/
}

# systemd_become JOB: execute systemd as process 1, which starts JOB/guest; returns
# only if the preparation fails, with its status
systemd_become()
{
	systemd_forget
	# Packages detect a running systemd by a directory that does not exist yet.
	bash "$1/prepare" || return
	systemd_units "$1/guest"
	exec /lib/systemd/systemd --unit=multi-user.target
}
