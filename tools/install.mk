# SPDX-License-Identifier: GPL-2.0
#
# "make install" and "make uninstall": where each file goes.  The Makefile includes this.

# SYSTEMD=no: without units, and without what only systemd, its bus and polkit read.
SYSTEMD = yes
with_systemd = $(filter-out no,$(SYSTEMD))

moddir = $(DESTDIR)/lib/modules/$(krelease)

.PHONY: install install-module install-tools install-libuet install-python
.PHONY: install-libfabric install-rdma install-units install-bus install-exporter install-wireshark
.PHONY: install-fabric
.PHONY: uninstall
install: install-module install-tools install-libuet install-exporter install-wireshark

install-module: module
	$(say) INSTALL $(moddir)/extra/uet.ko
	$(Q)install -D -m 644 $(kout)/uet.ko $(moddir)/extra/uet.ko
	$(Q)[ ! -e $(kout)/uet_rdma.ko ] || \
		install -D -m 644 $(kout)/uet_rdma.ko $(moddir)/extra/uet_rdma.ko
	$(Q)$(if $(DESTDIR),:,depmod $(krelease))
	$(Q)$(if $(DESTDIR)$(filter $(krelease),$(shell uname -r)),:,echo \
		"make: the module is for $(krelease); this machine runs $(shell uname -r)" >&2)

docdir = $(PREFIX)/share/doc/uet
# Documents that man pages name.
documents := $(addprefix Documentation/,containers.rst daemon.rst interop.rst performance.rst \
	security.rst netlink/specs/uet.yaml) $(wildcard Documentation/uapi*.rst)
# Other pages are those of the library, the exporter and the fabric simulator.
tools_pages := $(filter-out %/uet-exporter.8 %/uetfabric.1,$(wildcard Documentation/man/*.[158])) \
	Documentation/man/uet.7 Documentation/man/uet-stream.7 $(counters_page)

install-tools: tools
	$(say) INSTALL $(DESTDIR)$(PREFIX)
	$(Q)install -D -m 755 -t $(DESTDIR)$(PREFIX)/sbin $(B)/ueadm $(B)/uetd
	$(Q)install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin \
		$(B)/uetcat $(B)/uetperf $(B)/uetize
	$(Q)install -D -m 644 -t $(DESTDIR)$(libdir)/uet $(B)/libuetize.so
	$(Q)install -D -m 755 $(B)/uet-cni $(DESTDIR)$(PREFIX)/lib/cni/uet
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/include/linux \
		uapi/linux/uet.h uapi/linux/uet_nl.h
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/include \
		tools/lib/uet_cq.h tools/lib/uet_ioctl.h tools/lib/uet_sq.h
	$(Q)install -D -m 644 tools/ueadm/ueadm.bash-completion \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/ueadm
	$(Q)install -d $(DESTDIR)$(PREFIX)/share/zsh/site-functions
	$(Q)sed '1s/^/#compdef ueadm\n/' tools/ueadm/ueadm.zsh-completion > \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_ueadm
	$(Q)install -D -m 644 tools/ueadm/ueadm.fish-completion \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/ueadm.fish
	$(Q)for page in $(tools_pages); do \
		install -D -m 644 -t \
			$(DESTDIR)$(PREFIX)/share/man/man$${page##*.} $$page \
			|| exit; \
	done
	$(Q)install -D -m 644 -t $(DESTDIR)$(docdir) $(documents) \
		daemon/systemd/uetd.conf.example
	$(Q)$(if $(with_systemd),$(MAKE) install-units)

version = $(shell sed -n 's/^.define UET_VERSION[[:space:]]*"\(.*\)"$$/\1/p' \
	kernel/config/config.h)

install-libuet: libuet
	$(say) INSTALL $(DESTDIR)$(libdir)/$(libuet_file)
	$(Q)install -D -m 644 -t $(DESTDIR)$(libdir) $(B)/libuet/$(libuet_file) \
		$(B)/libuet/libuet.a
	$(Q)ln -sf $(libuet_file) $(DESTDIR)$(libdir)/$(libuet_name)
	$(Q)ln -sf $(libuet_name) $(DESTDIR)$(libdir)/libuet.so
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/include tools/libuet/uet.h
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man7 \
		Documentation/man/libuet.7
	$(Q)install -D -m 644 -t $(DESTDIR)$(man3dir) Documentation/man/*.3
	$(Q)for page in Documentation/man/*.3; do \
		for name in $$(sed -n '/^.SH NAME/{n; s/ *\\-.*//; s/,//g; p}' $$page); do \
			[ -e $(DESTDIR)$(man3dir)/$$name.3 ] || \
				echo ".so man3/$${page##*/}" > \
					$(DESTDIR)$(man3dir)/$$name.3 || exit; \
		done; \
	done
	$(Q)install -d $(DESTDIR)$(libdir)/pkgconfig
	$(Q)sed -e '/^#/d' -e 's,@PREFIX@,$(PREFIX),' -e 's,@LIBDIR@,$(libdir),' \
		-e 's,@VERSION@,$(version),' tools/libuet/uet.pc.in > \
		$(DESTDIR)$(libdir)/pkgconfig/uet.pc
	$(Q)$(if $(DESTDIR),:,ldconfig)

install-libfabric: libfabric
	$(say) INSTALL $(addprefix $(fabricdir)/,$(notdir $(fabric_provider)))
	$(Q)install -D -m 644 -t $(fabricdir) $(fabric_provider)
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man7 \
		Documentation/man/fi_uet.7

# Where libibverbs looks for its providers, and for their names.
verbsdir = $(DESTDIR)$(libdir)/libibverbs
verbsconf = $(DESTDIR)/etc/libibverbs.d
install-rdma: rdma-provider
	$(say) INSTALL $(verbsdir)
	$(Q)install -D -m 644 -t $(verbsdir) $(B)/rdma/libuet-rdmav*.so
	$(Q)install -D -m 644 -t $(verbsconf) $(B)/rdma/uet.driver

install-python: python
	$(say) INSTALL $(DESTDIR)$(pythondir)/uet
	$(Q)install -D -m 644 -t $(DESTDIR)$(pythondir)/uet $(python_files)

# systemd reads /usr/lib and /usr/local/lib.  The configuration depends on the host,
# so only an example is installed.
unitdir = $(DESTDIR)$(PREFIX)/lib/systemd/system
install-units:
	$(say) INSTALL $(unitdir)
	$(Q)for unit in uetd.service uetd@.service; do \
		install -d $(unitdir) && \
		sed 's,@SBINDIR@,$(PREFIX)/sbin,' daemon/systemd/$$unit > \
			$(unitdir)/$$unit && \
		chmod 644 $(unitdir)/$$unit || exit; \
	done
	$(Q)install -D -m 644 daemon/systemd/uet.modules-load.conf \
		$(DESTDIR)$(PREFIX)/lib/modules-load.d/uet.conf
	$(Q)install -D -m 644 daemon/systemd/uet.sysusers.conf \
		$(DESTDIR)$(PREFIX)/lib/sysusers.d/uet.conf
	$(Q)install -D -m 644 -t $(DESTDIR)$(docdir) daemon/systemd/uetd.rules.example
	$(Q)$(MAKE) install-bus

# The system bus and polkit read these from /usr only, whatever PREFIX is.
busdir = $(DESTDIR)/usr/share
install-bus:
	$(say) INSTALL $(busdir)/dbus-1
	$(Q)install -D -m 644 -t $(busdir)/dbus-1/system.d \
		daemon/systemd/org.ultraethernet.Uetd1.conf
	$(Q)install -D -m 644 -t $(busdir)/dbus-1/system-services \
		daemon/systemd/org.ultraethernet.Uetd1.service
	$(Q)install -D -m 644 -t $(busdir)/polkit-1/actions \
		daemon/systemd/org.ultraethernet.uetd1.policy

# Counters over HTTP for Prometheus, with alerts and a dashboard.  It needs
# python3-prometheus-client.
exporterdir = $(DESTDIR)$(PREFIX)/share/uet
install-exporter: $(dashboard)
	$(say) INSTALL $(exporterdir)
	$(Q)install -D -m 755 -t $(DESTDIR)$(PREFIX)/sbin tools/exporter/uet-exporter
	$(Q)for unit in $(if $(with_systemd),uet-exporter.service uet-exporter.socket); do \
		install -d $(unitdir) && \
		sed 's,@SBINDIR@,$(PREFIX)/sbin,' tools/exporter/$$unit > \
			$(unitdir)/$$unit && \
		chmod 644 $(unitdir)/$$unit || exit; \
	done
	$(Q)install -D -m 644 -t $(exporterdir)/prometheus tools/exporter/uet.rules.yml
	$(Q)install -D -m 644 -t $(exporterdir)/grafana $(dashboard)
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man8 \
		Documentation/man/uet-exporter.8

# The fabric simulator, and what makes its input and its pictures.
install-fabric: fabric
	$(say) INSTALL $(DESTDIR)$(PREFIX)/bin/uetfabric
	$(Q)install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin $(B)/sim/uetfabric
	$(Q)install -D -m 755 -t $(DESTDIR)$(PREFIX)/share/uet/fabric \
		tools/fabric/plot tools/fabric/workload tools/fabric/slowdown
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man1 \
		Documentation/man/uetfabric.1

# A folder to link from Wireshark's folder for plugins, or that folder itself.
wiresharkdir = $(PREFIX)/share/uet/wireshark
install-wireshark:
	$(say) INSTALL $(DESTDIR)$(wiresharkdir)
	$(Q)install -D -m 644 -t $(DESTDIR)$(wiresharkdir) tools/wireshark/*.lua

# Installs once more, into a folder below build/, and removes the same files.  Folders
# stay, but for those that are of UET alone.  Files of the administrator stay.  fabricdir
# may be a folder outside DESTDIR, so the provider is not installed again.
staged = $(abspath $(B))/uninstall
uninstall:
	$(Q)rm -rf $(staged)
	$(Q)$(MAKE) install-tools install-libuet install-exporter install-wireshark \
		$(if $(wildcard $(moddir)/extra/uet.ko),install-module) \
		$(if $(wildcard $(DESTDIR)$(pythondir)/uet),install-python) \
		$(if $(wildcard $(DESTDIR)$(PREFIX)/bin/uetfabric),install-fabric) \
		DESTDIR=$(staged) > /dev/null
	$(say) REMOVE $(DESTDIR)$(PREFIX)
	$(Q)cd $(staged) && find . ! -type d -printf '%P\0' | \
		(cd $(DESTDIR)/ && xargs -0 rm -f --)
	$(Q)$(if $(wildcard $(fabricdir)/libuet-fi.so),rm -f \
		$(addprefix $(fabricdir)/,$(notdir $(fabric_provider))) \
		$(DESTDIR)$(PREFIX)/share/man/man7/fi_uet.7,:)
	$(Q)rm -rf $(DESTDIR)$(pythondir)/uet/__pycache__
	$(Q)cd $(staged) && find . -depth -type d -printf '%P\n' | \
		grep -E '(^|/)uet(/|$$)' | \
		(cd $(DESTDIR)/ && xargs -r rmdir --ignore-fail-on-non-empty -- 2> /dev/null) || :
	$(Q)rm -rf $(staged)
	$(Q)$(if $(DESTDIR),:,depmod $(krelease); ldconfig)
