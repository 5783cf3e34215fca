// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of closed sockets. A closed socket exists until its last message was
 * answered, and a peer that refuses packets for lack of resources can delay that for
 * ever. The PDCs of a closed socket therefore end after a time: the setting "orphan" of
 * the FEP, or the time of SO_LINGER if that is shorter. Until then the bytes of the
 * messages are charged to the user of the socket, whose share of a limit bounds them.
 * Without a share the PDCs end at once.
 */
#include <linux/mm.h>
#include <net/sock.h>

#include "base/base.h"
#include "fabric/fabric.h"
#include "message/message.h"
#include "socket.h"

/* The messages of closed sockets may use this fraction of the memory, and no less. */
#define ORPHAN_MEMORY_SHARE	32
#define ORPHAN_BYTES_MIN	(64UL << 20)

/* Longest time of SO_LINGER that has an effect, s: the longest "orphan". */
#define ORPHAN_TIME_MAX		86400

/* Bytes of closed sockets, by user. One limit for all namespaces: memory is common. */
static struct uet_shares orphan_shares;

/*
 * Initialise the limit.
 * Context: Process, module load.
 * Return: 0 or -ENOMEM.
 */
int __init uet_sock_orphan_init(void)
{
	unsigned long bytes = (totalram_pages() / ORPHAN_MEMORY_SHARE) <<
			      PAGE_SHIFT;

	return uet_shares_init(&orphan_shares, max(bytes, ORPHAN_BYTES_MIN));
}

/*
 * Destroy the limit.
 * Context: Process, module unload; no socket is left.
 */
void uet_sock_orphan_fini(void)
{
	uet_shares_fini(&orphan_shares);
}

/* Time that the messages of a socket have after close(), ns. */
static u64 orphan_time(const struct uet_sock *us)
{
	const struct sock *sk = &us->sk;
	struct uet_pdc_cfg cfg;
	unsigned long linger;

	uet_fep_pdc_cfg(us->fep, &cfg);
	if (!sock_flag(sk, SOCK_LINGER))
		return cfg.orphan_ns;
	linger = min_t(unsigned long, READ_ONCE(sk->sk_lingertime),
		       ORPHAN_TIME_MAX * HZ);
	return min_t(u64, cfg.orphan_ns, jiffies_to_nsecs(linger));
}

/* Charge the unanswered messages to their user. Return: false above its share. */
static bool orphan_charge(struct uet_sock *us)
{
	const struct uet_share_owner owner = { .uid = us->host_user };
	u32 bytes = sk_wmem_alloc_get(&us->sk);

	if (!bytes)
		return true;
	if (uet_shares_take(&orphan_shares, &owner, bytes))
		return false;
	us->orphan_owner = owner;
	us->orphan_bytes = bytes;
	return true;
}

/*
 * Decide how long the messages of a socket may live.
 * Context: Process.
 * Return: monotonic time at which its PDCs end, ns.
 */
u64 uet_sock_orphan(struct uet_sock *us)
{
	u64 time_ns = orphan_time(us);

	if (time_ns && !orphan_charge(us)) {
		uet_mib_inc(us->fep->un, UET_MIB_ORPHAN_LIMIT);
		time_ns = 0;
	}
	return uet_now_ns() + time_ns;
}

/*
 * Uncharge the messages of a socket.
 * @us: socket without messages, in its destructor
 */
void uet_sock_orphan_uncharge(struct uet_sock *us)
{
	if (us->orphan_bytes)
		uet_shares_give(&orphan_shares, &us->orphan_owner,
				us->orphan_bytes);
}
