/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The completion ring of an AF_UET socket: memory shared with the process, from
 * which the process reads completions without a system call.
 */
#ifndef UET_CQ_RING_H
#define UET_CQ_RING_H

#include <linux/types.h>
#include <linux/uet.h>

struct uet_ring;
struct uet_sock;
struct vm_area_struct;

/* For the owner of the socket. */
int uet_sock_ioctl_ring(struct uet_sock *us, void __user *arg);
int uet_ring_map(struct uet_sock *us, struct vm_area_struct *vma);

/* For the completion queue, whose lock serialises all except is_readable. */
bool uet_ring_push(struct uet_ring *ring, const struct uet_completion *rec);
void uet_ring_set_more(struct uet_ring *ring, bool more);
void uet_ring_set_generation(struct uet_ring *ring, u32 generation);
bool uet_ring_is_readable(const struct uet_ring *ring);
void uet_ring_free(struct uet_ring *ring);

#endif
