// SPDX-License-Identifier: GPL-2.0
/*
 * The list of module capabilities, and /proc/net/uet/features, which shows the
 * list to programs without netlink: one "key: value" per line. A capability is
 * listed when the feature works, not when only its headers can be decoded.
 */
#include <linux/kernel.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uet.h>
#include <net/net_namespace.h>

#include "core/wire/wire.h"
#include "features.h"
#include "socket/socket.h"

static const char * const features_capabilities[] = {
	"rud",		/* SOCK_RDM: reliable unordered delivery */
	"rod",		/* SOCK_SEQPACKET: reliable ordered delivery */
	"uud",		/* SOCK_DGRAM: unreliable unordered delivery */
	"send",		/* SES SEND of 0 to 2147479551 bytes */
	"udp",		/* UDP encapsulation */
	"ipv4",
	"ipv6",
	"crc",		/* protect crc */
	"spray",	/* per-packet entropy value and rail */
	"native-ip",	/* native IP encapsulation */
	"fep-set",	/* FEP settings, changed at run time */
	"trimmed",	/* NACKs for packets trimmed by a switch */
	"no-op",	/* SES NO_OP: UET_CMSG_OP */
	"completions",	/* UET_OP_COMPLETE */
	"write",	/* UET_OP_WRITE, UET_IOC_MR_REG, UET_OP_RUDI */
	"atomic",	/* UET_OP_ATOMIC */
	"tagged-atomic",	/* UET_OP_TSEND_ATOMIC */
	"generations",	/* UET_GENERATION, UET_PAUSE */
	"ping",		/* netlink ping: a RUDI NO_OP */
	"ingress",	/* rail-set: packets taken before IP */
	"inet",		/* AF_INET and AF_INET6 with IPPROTO_UET */
	"endpoint-wait",	/* UET_ENDPOINT_WAIT */
};

/**
 * uet_features_capability() - iterate over the capabilities of the module
 * @index: from 0
 *
 * Return: the capability, or NULL after the last one.
 */
const char *uet_features_capability(unsigned int index)
{
	if (index >= ARRAY_SIZE(features_capabilities))
		return NULL;
	return features_capabilities[index];
}

/**
 * uet_features_has() - check whether the module has a capability
 * @capability: a name from the list
 *
 * Return: true if the module has it.
 */
bool uet_features_has(const char *capability)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(features_capabilities); i++) {
		if (!strcmp(features_capabilities[i], capability))
			return true;
	}
	return false;
}

static int features_show(struct seq_file *seq, void *v)
{
	unsigned int i;

	seq_puts(seq, "version: " UET_VERSION "\n");
	seq_printf(seq, "family: %d\n", uet_sock_family());
	seq_printf(seq, "sol: %d\n", SOL_UET);
	seq_puts(seq, "wire-version: " UET_WIRE_VERSION "\n");
	seq_printf(seq, "port: %d\n", UET_PORT_DEFAULT);
	seq_puts(seq, "capabilities:");
	for (i = 0; i < ARRAY_SIZE(features_capabilities); i++)
		seq_printf(seq, " %s", features_capabilities[i]);
	seq_putc(seq, '\n');
	return 0;
}

/*
 * Create /proc/net/uet/features.
 * Context: Process context.
 * Return: 0 or -ENOMEM.
 */
int uet_features_proc_add(struct net *net)
{
	struct proc_dir_entry *dir;

	if (!IS_ENABLED(CONFIG_PROC_FS))
		return 0;

	dir = proc_net_mkdir(net, "uet", net->proc_net);
	if (!dir)
		return -ENOMEM;
	if (!proc_create_net_single("features", 0444, dir, features_show,
				    NULL)) {
		uet_features_proc_del(net);
		return -ENOMEM;
	}
	return 0;
}

/*
 * Remove /proc/net/uet.
 * Context: Process context.
 */
void uet_features_proc_del(struct net *net)
{
	remove_proc_subtree("uet", net->proc_net);
}
