// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of streams. The kernel's socket accounting counts it as it does that of TCP, in an
 * account of its own, net.uet.stream_mem: whoever fills it keeps out other streams, but no
 * message of the other sockets, whose users have shares of net.uet.uet_mem.
 */
#include <linux/percpu_counter.h>
#include <linux/sysctl.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#include "endpoint/endpoint.h"
#include "stream.h"

static long smem_limits[3];
static atomic_long_t smem_allocated;
static DEFINE_PER_CPU(int, smem_per_cpu);
static struct percpu_counter smem_sockets;
static unsigned long smem_is_pressed;

static void smem_press(struct sock *sk)
{
	WRITE_ONCE(smem_is_pressed, 1);
}

static struct ctl_table_header *smem_sysctls;
static struct ctl_table smem_table[] = {
	{
		.procname = "stream_mem",
		.data = smem_limits,
		.maxlen = sizeof(smem_limits),
		.mode = 0644,
		.proc_handler = proc_doulongvec_minmax,
	},
	{ }
};

/**
 * uet_stream_mem_share() - let the sockets of a protocol count in net.uet.stream_mem
 * @prot: protocol, not registered yet
 */
void __init uet_stream_mem_share(struct proto *prot)
{
	prot->memory_allocated = &smem_allocated;
	prot->per_cpu_fw_alloc = &smem_per_cpu;
	prot->sockets_allocated = &smem_sockets;
	prot->memory_pressure = &smem_is_pressed;
	prot->enter_memory_pressure = smem_press;
	prot->sysctl_mem = smem_limits;
	prot->sysctl_rmem = uet_mem_rmem;
	prot->sysctl_wmem = uet_mem_wmem;
}

/**
 * uet_stream_mem_init() - register the account and its sysctl: 0, or an errno
 */
int __init uet_stream_mem_init(void)
{
	int err;

	uet_mem_default(smem_limits);
	err = percpu_counter_init(&smem_sockets, 0, GFP_KERNEL);
	if (err)
		return err;
	smem_sysctls = uet_register_sysctls(&init_net, smem_table);
	if (smem_sysctls)
		return 0;
	percpu_counter_destroy(&smem_sockets);
	return -ENOMEM;
}

/**
 * uet_stream_mem_fini() - unregister them; no stream is left
 */
void uet_stream_mem_fini(void)
{
	unregister_net_sysctl_table(smem_sysctls);
	percpu_counter_destroy(&smem_sockets);
}
