/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small BPF programs on the hooks of a cgroup for sockets and packets, without a library: the calling
 * process enters a cgroup of its own below UET_CGROUP, and a few instructions see the
 * addresses of the sockets that it opens from then on.  It knows nothing about UET.
 * Level: test.
 */
#ifndef UET_SELFTESTS_CGROUPHOOK_H
#define UET_SELFTESTS_CGROUPHOOK_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <linux/bpf.h>

#include "harness.h"

#define HOOK_CODE(array)	array, sizeof(array) / sizeof((array)[0])

#define HOOK_INSN(code_, dst_, src_, off_, imm_)			\
	{ .code = code_, .dst_reg = dst_, .src_reg = src_, .off = off_,	\
	  .imm = imm_ }
#define HOOK_MOV(dst, value)	HOOK_INSN(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value)
#define HOOK_COPY(dst, src)	HOOK_INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define HOOK_ADD(dst, value)	HOOK_INSN(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, value)
#define HOOK_LOAD(size, dst, src, off)					\
	HOOK_INSN(BPF_LDX | BPF_MEM | (size), dst, src, off, 0)
#define HOOK_STORE(size, dst, off, src)					\
	HOOK_INSN(BPF_STX | BPF_MEM | (size), dst, src, off, 0)
#define HOOK_SKIP_UNLESS(reg, value, skip)				\
	HOOK_INSN(BPF_JMP | BPF_JNE | BPF_K, reg, 0, skip, value)
#define HOOK_CALL(function)	HOOK_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, function)
#define HOOK_EXIT		HOOK_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define HOOK_PORT		offsetof(struct bpf_sock_addr, user_port)

#define HOOK_REFUSE_ALL		HOOK_MOV(0, 0), HOOK_EXIT

/* Refuse addresses with a port. */
#define HOOK_REFUSE_PORT(port)						\
	HOOK_LOAD(BPF_W, 2, 1, HOOK_PORT), HOOK_MOV(0, 1),		\
	HOOK_SKIP_UNLESS(2, htons(port), 1), HOOK_MOV(0, 0), HOOK_EXIT

/* Replace a port by another one. */
#define HOOK_MAP_PORT(port, other)					\
	HOOK_LOAD(BPF_W, 2, 1, HOOK_PORT),				\
	HOOK_SKIP_UNLESS(2, htons(port), 2), HOOK_MOV(2, htons(other)),	\
	HOOK_STORE(BPF_W, 1, HOOK_PORT, 2), HOOK_MOV(0, 1), HOOK_EXIT

/* Refuse sockets that are bound to a port. */
#define HOOK_REFUSE_SOURCE(port)					\
	HOOK_LOAD(BPF_DW, 2, 1, offsetof(struct bpf_sock_addr, sk)),	\
	HOOK_MOV(0, 1),							\
	HOOK_INSN(BPF_JMP | BPF_JEQ | BPF_K, 2, 0, 3, 0),		\
	HOOK_LOAD(BPF_W, 2, 2, offsetof(struct bpf_sock, src_port)),	\
	HOOK_SKIP_UNLESS(2, port, 1), HOOK_MOV(0, 0), HOOK_EXIT

/* Call bpf_bind() with an IPv4 address, whatever it returns. */
#define HOOK_BIND(addr, port)						\
	HOOK_MOV(2, (int)(AF_INET | (uint32_t)htons(port) << 16)),	\
	HOOK_STORE(BPF_W, 10, -16, 2), HOOK_MOV(2, (int)(addr)),	\
	HOOK_STORE(BPF_W, 10, -12, 2), HOOK_MOV(2, 0),			\
	HOOK_STORE(BPF_DW, 10, -8, 2), HOOK_COPY(2, 10),		\
	HOOK_ADD(2, -16), HOOK_MOV(3, 16), HOOK_CALL(BPF_FUNC_bind),	\
	HOOK_MOV(0, 1), HOOK_EXIT

static inline int hook_bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* The cgroup of this process, which it enters with the first call. */
static inline int hook_cgroup(void)
{
	const char *root = getenv("UET_CGROUP");
	static int cgroup = -1;
	char path[512];
	int procs;

	if (!root)
		SKIP("without UET_CGROUP");
	if (cgroup >= 0)
		return cgroup;
	snprintf(path, sizeof(path), "%s/hook-%d", root, getpid());
	ASSERT_SYS(mkdir(path, 0755));
	cgroup = open(path, O_RDONLY | O_DIRECTORY);
	ASSERT_SYS(cgroup);
	procs = openat(cgroup, "cgroup.procs", O_WRONLY);
	ASSERT_EQ(write(procs, "0", 1), 1);
	close(procs);
	return cgroup;
}

/* Attach a program to a hook of the cgroup of this process. */
static inline void hook_attach(int hook, const struct bpf_insn *code,
			       unsigned int nr)
{
	union bpf_attr attr = {
		.prog_type = hook == BPF_CGROUP_INET_SOCK_CREATE ?
			     BPF_PROG_TYPE_CGROUP_SOCK :
			     hook == BPF_CGROUP_INET_EGRESS ?
			     BPF_PROG_TYPE_CGROUP_SKB :
			     BPF_PROG_TYPE_CGROUP_SOCK_ADDR,
		.expected_attach_type = hook,
		.insns = (uintptr_t)code,
		.insn_cnt = nr,
		.license = (uintptr_t)"GPL",
	};
	int cgroup = hook_cgroup(), program;

	program = hook_bpf(BPF_PROG_LOAD, &attr);
	if (program < 0 && errno == EINVAL)
		SKIP("the kernel has no BPF programs of cgroups");
	ASSERT_SYS(program);
	attr = (union bpf_attr){
		.target_fd = cgroup,
		.attach_bpf_fd = program,
		.attach_type = hook,
	};
	ASSERT_SYS(hook_bpf(BPF_PROG_ATTACH, &attr));
}

#endif
