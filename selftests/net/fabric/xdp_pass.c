// SPDX-License-Identifier: GPL-2.0
/*
 * xdp_pass DEV: an XDP program that passes each packet, in the generic mode, which makes
 * one piece of each.  Says "attached", and stays until it is ended.
 */
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int sys_bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int load(void)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_XDP;
	attr.expected_attach_type = BPF_XDP;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = sizeof(insns) / sizeof(insns[0]);
	attr.license = (uintptr_t)"GPL";
	return sys_bpf(BPF_PROG_LOAD, &attr);
}

static int attach(int prog, const char *dev)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = prog;
	attr.link_create.target_ifindex = if_nametoindex(dev);
	attr.link_create.attach_type = BPF_XDP;
	attr.link_create.flags = XDP_FLAGS_SKB_MODE;
	return sys_bpf(BPF_LINK_CREATE, &attr);
}

int main(int argc, char **argv)
{
	int prog = load();

	if (argc != 2) {
		fprintf(stderr, "usage: xdp_pass DEV\n");
		return EXIT_FAILURE;
	}
	if (prog < 0 || attach(prog, argv[1]) < 0) {
		perror(argv[1]);
		return EXIT_FAILURE;
	}
	puts("attached");
	fflush(stdout);
	pause();
	return EXIT_SUCCESS;
}
