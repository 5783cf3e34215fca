# SPDX-License-Identifier: GPL-2.0
#
# How guest, which sources it, becomes systemd: what the host would start is taken
# out of the overlay, the caller's --prepare command runs as on a system that is not
# running, and then systemd boots to multi-user.target, of which the command is a
# service.
# shellcheck shell=bash

# What takes long, or devices that a VM has not, and nobody here asks for.
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

# systemd_forget: in the overlay, what this host is for
systemd_forget()
{
	rm -rf /etc/systemd/system/*.{wants,requires} /etc/rc?.d/*
	: > /etc/fstab
	rm -rf /var/log/journal
	# It would think that it is in a container, and leave much alone; and so
	# would packages.
	rm -f /.dockerenv /usr/sbin/policy-rc.d
	# It would empty /tmp, where the caller may be at work.
	mkdir -p /etc/tmpfiles.d
	ln -sf /dev/null /etc/tmpfiles.d/tmp.conf
}

# systemd_units: the masks, and the command as a service
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

# systemd_become JOB: process 1 goes on as systemd, which starts JOB/guest; returns
# only if the preparation fails, with its status
systemd_become()
{
	systemd_forget
	# Before there is a directory by which packages know that systemd runs.
	bash "$1/prepare" || return
	systemd_units "$1/guest"
	exec /lib/systemd/systemd --unit=multi-user.target
}
