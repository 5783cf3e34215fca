/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Peers of a socket: endpoints that a process knows by numbers. Sends name a peer by its
 * number, receives and completions too.
 */
#ifndef UET_PEER_H
#define UET_PEER_H

#include <linux/types.h>

struct uet_fa;
struct uet_rx_message;
struct uet_sock;
struct uet_sock_dest;

/* Under lock_sock(). */
int uet_peer_add(struct uet_sock *us, const struct uet_sock_dest *dest,
		 u32 initiator, u32 *number);
int uet_peer_remove(struct uet_sock *us, u32 number);
bool uet_peer_dest(const struct uet_sock *us, u32 number,
		   struct uet_sock_dest *dest);

/* For messages. */
u32 uet_peer_find(const struct uet_sock *us, const struct uet_fa *fa,
		  u32 initiator);
void uet_peer_note(struct uet_rx_message *rm);

/* For the socket. */
bool uet_peer_exists(const struct uet_sock *us, u32 number);
void uet_peers_close(struct uet_sock *us);

#endif
