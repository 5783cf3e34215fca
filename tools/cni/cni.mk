# SPDX-License-Identifier: GPL-2.0
#
# Builds the CNI plugin.  The Makefile includes this.

$(B)/uet-cni: tools/cni/cni.c Makefile | needs
	$(say) CC $@
	$(Q)$(CC) $(UFLAGS) -D_GNU_SOURCE -O2 -DUEADM='"$(PREFIX)/sbin/ueadm"' $(LDFLAGS) -o $@ $< \
		$$(pkg-config --cflags --libs json-c)
