/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Streams: sockets of AF_INET and AF_INET6 with SOCK_STREAM and IPPROTO_UET, and of AF_UET with
 * SOCK_STREAM, as TCP's, over messages of RUD. stream_ep.c has the endpoint that the streams of
 * a job on a FEP share, stream_port.c the ports, stream_conn.c a connection, stream_rx.c its
 * messages, stream_demux.c their way to it, stream_sock.c and stream_call.c the system calls,
 * stream_io.c bytes, stream_opt.c options.
 *
 * Functions on a socket run with its lock: lock_sock(), or the spinlock while nobody owns it.
 */
#ifndef UET_STREAM_H
#define UET_STREAM_H

#include <linux/interrupt.h>
#include <linux/ipv6.h>
#include <linux/rhashtable.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>
#include <net/inet_sock.h>
#include <net/sock.h>

#include "base/base.h"
#include "fabric/fabric.h"
#include "stream_wire.h"

struct uet_mem_user;
struct uet_rx_message;
struct uet_sock;
struct uet_tx_message;

/* Messages that one pass handles with BH disabled. */
#define UET_STREAM_BUDGET	64

/* A closed socket whose peer takes nothing for so long is given up, jiffies. */
#define UET_STREAM_ORPHAN_TIME	(60 * HZ)

/**
 * struct uet_stream_ep - the endpoint for all streams of a job on a FEP
 * @link: in the list of all, under its mutex
 * @users: sockets; the work frees the endpoint when it finds none
 * @sock: socket of the kernel that is bound to the FEP, closed by the work
 * @us: the same as an endpoint
 * @job: JobID, immutable
 * @work: frees the endpoint
 * @tasklet: uet_stream_demux()
 * @conns: streams by connection id; read under RCU
 * @lock: protects the fields below; taken with BH disabled; a leaf
 * @rx: messages that have arrived, struct uet_rx_message.link
 * @ready: streams with something to do, struct uet_stream.on_ready, one reference each
 */
struct uet_stream_ep {
	struct list_head link;
	atomic_t users;
	struct socket *sock;
	struct uet_sock *us;
	u32 job;
	struct work_struct work;
	struct tasklet_struct tasklet;
	struct rhashtable conns;

	spinlock_t lock;
	struct list_head rx;
	struct list_head ready;
};

/**
 * struct uet_stream_cb - per-buffer data of a message of a stream
 * @seq: offset of the first byte
 * @end: offset behind the last byte
 * @head: received: the fields of the message
 * @ep: received OPEN: where it arrived; the data is the fabric address of its sender
 * @sent: to send: when it was sent, jiffies
 * @is_acked: to send: the message was acknowledged; written without a lock
 */
struct uet_stream_cb {
	u32 seq;
	u32 end;
	union {
		struct {
			struct uet_stream_head head;
			struct uet_stream_ep *ep;
		};
		struct {
			unsigned long sent;
			bool is_acked;
		};
	};
};

static inline struct uet_stream_cb *uet_stream_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct uet_stream_cb) > sizeof_field(struct sk_buff, cb));
	return (struct uet_stream_cb *)skb->cb;
}

/* uet_stream.pending: messages without bytes that are to be sent; one of a kind is in flight. */
#define UET_STREAM_PENDS(type)	BIT(UET_STREAM_ ## type)

/**
 * struct uet_stream_listen - part of a listening socket
 * @lock: protects @queue, @half and @nr; taken with BH disabled; a leaf
 * @queue: connections for accept(), struct uet_stream.on_queue
 * @half: half open connections, likewise
 * @nr: connections of @queue and @half
 * @eps: the endpoints on which it listens beside uet_stream.ep, one use each
 * @nr_eps: length of @eps
 */
struct uet_stream_listen {
	spinlock_t lock;
	struct list_head queue;
	struct list_head half;
	u32 nr;
	struct uet_stream_ep *eps[UET_JOB_FEPS_MAX];
	u8 nr_eps;
};

/**
 * struct uet_stream_opt - options of level TCP
 * @nodelay: TCP_NODELAY
 * @cork: TCP_CORK
 * @more: the last sendmsg() had MSG_MORE
 * @keep_cnt: TCP_KEEPCNT
 * @keep_idle: TCP_KEEPIDLE, seconds
 * @keep_intvl: TCP_KEEPINTVL, seconds
 * @user_timeout: TCP_USER_TIMEOUT, ms; 0: none
 */
struct uet_stream_opt {
	u32 nodelay;
	u32 cork;
	bool more;
	u32 keep_cnt;
	u32 keep_idle;
	u32 keep_intvl;
	u32 user_timeout;
};

/**
 * struct uet_stream - a socket of a stream
 * @inet: must be first
 * @destruct: sk_destruct of the socket's family
 * @user: whose share of net.uet.stream_mem counts, one reference
 * @listen: while it listens
 * @ep: endpoint of a connection, one use; constant until the socket is freed
 * @opt: options; inherited by accepted connections
 * @job: JobID: option UET_JOB, then that of the connection; 0: the default of the namespace
 * @own: own fabric address; family 0: any
 * @peer: fabric address of the peer; immutable once connected
 * @port: own port, host order; 0: none
 * @peer_port: likewise
 * @port_key: namespace and @port
 * @on_port: in the table of ports while @is_bound
 * @is_bound: see @on_port
 * @id: own connection id while in uet_stream_ep.conns
 * @peer_id: connection id of the peer, 0: unknown
 * @on_conn: in uet_stream_ep.conns while @is_hashed
 * @is_hashed: see @on_conn
 * @is_orphan: closed, and counted as such
 * @on_ready: in uet_stream_ep.ready, under its lock
 * @parent: until accept(): the listening socket, one reference
 * @on_queue: in uet_stream_listen.queue or .half, under its lock
 * @counted: bytes of the buffers that are counted for @user
 * @in: received messages to be handled
 * @in_bytes: memory of @in, under its lock
 * @is_overrun: the peer has sent more than @in may keep
 * @early: messages ahead of a missing one, ascending
 * @rcv_nxt: offset of the next byte to arrive in order
 * @copied: offset of the next byte to be read
 * @edge: first offset that the peer may not send yet, as advertised
 * @has_fin: the peer has sent FIN
 * @fin_at: with @has_fin, offset of the end of the peer's stream
 * @snd_nxt: offset of the next byte to send
 * @snd_edge: first offset that may not be sent yet
 * @write_seq: offset of the next byte that the process writes
 * @sent: messages that are not acknowledged, and later ones
 * @pending: messages to send, UET_STREAM_PENDS()
 * @flying: likewise, messages that are not acknowledged; atomic bits
 * @ended: likewise, messages that were acknowledged; atomic bits
 * @tx_error: errno of a message that has failed, positive; without a lock
 * @wants_fin: the end of the own stream follows the last byte
 * @fin_acked: the end of the own stream was acknowledged
 * @is_pushed: bytes that were held back are sent with the next pass
 * @retry: number of retries of what the timer repeats
 * @busy: OPENs that the peer had no space for, as far as the pause grows with them
 * @opened: when connect() began, jiffies
 * @heard: when a message came last, jiffies
 * @tried: when the pending messages or the OPEN may be tried again, jiffies
 * @probed: when the latest PROBE was sent, jiffies
 * @dead_at: when a closed or half open socket gives its peer up, jiffies; 0: not
 */
struct uet_stream {
	struct inet_sock inet;
	void (*destruct)(struct sock *sk);
	struct uet_mem_user *user;
	struct uet_stream_listen *listen;
	struct uet_stream_ep *ep;
	struct uet_stream_opt opt;
	u32 job;
	struct uet_fa own;
	struct uet_fa peer;
	u16 port;
	u16 peer_port;
	u64 port_key;
	struct rhlist_head on_port;
	bool is_bound;

	u32 id;
	u32 peer_id;
	struct rhash_head on_conn;
	bool is_hashed;
	bool is_orphan;
	struct list_head on_ready;
	struct sock *parent;
	struct list_head on_queue;

	u32 counted;
	struct sk_buff_head in;
	u32 in_bytes;
	bool is_overrun;
	struct sk_buff_head early;
	u32 rcv_nxt;
	u32 copied;
	u32 edge;
	u32 fin_at;
	bool has_fin;

	u32 snd_nxt;
	u32 snd_edge;
	u32 write_seq;
	struct sk_buff_head sent;
	unsigned long pending;
	unsigned long flying;
	unsigned long ended;
	int tx_error;
	bool wants_fin;
	bool fin_acked;
	bool is_pushed;

	u8 retry;
	u8 busy;
	unsigned long opened;
	unsigned long heard;
	unsigned long tried;
	unsigned long probed;
	unsigned long dead_at;
};

/**
 * struct uet6_stream - an AF_INET6 socket
 * @st: must be first
 * @inet6: must be last
 */
struct uet6_stream {
	struct uet_stream st;
	struct ipv6_pinfo inet6;
};

static inline struct uet_stream *uet_stream(const struct sock *sk)
{
	return (struct uet_stream *)sk;
}

static inline bool uet_stream_is_inet(const struct sock *sk)
{
	return sk->sk_family == AF_INET || sk->sk_family == AF_INET6;
}

/* May a socket that is bound to any address use FEPs with addresses of @family? */
static inline bool uet_stream_uses(const struct sock *sk, u16 family)
{
	return sk->sk_family == family || (sk->sk_family != AF_INET && !sk->sk_ipv6only);
}

/* stream_ep.c; _get(), _init(), _fini() and _wait() in process context */
int uet_stream_ep_init(void (*run)(struct tasklet_struct *tasklet));
void uet_stream_ep_fini(void);
void uet_stream_ep_wait(void);
struct uet_stream_ep *uet_stream_ep_get(struct net *net, struct uet_fep *fep, u32 job);
void uet_stream_ep_put(struct uet_stream_ep *ep);
int uet_stream_ep_hash(struct uet_stream *st);
void uet_stream_ep_unhash(struct uet_stream *st);
struct uet_stream *uet_stream_ep_find(struct uet_stream_ep *ep, u32 id);
struct uet_rx_message *uet_stream_ep_next_message(struct uet_stream_ep *ep);
struct sock *uet_stream_ep_next_ready(struct uet_stream_ep *ep);
void uet_stream_ep_kick(struct uet_stream *st);
int uet_stream_ep_send(struct uet_stream_ep *ep, const struct uet_fa *to,
		       const struct uet_stream_head *head, struct uet_stream *st,
		       struct sk_buff *skb);

/* stream_port.c */
int uet_stream_port_init(void);
void uet_stream_port_fini(void);
int uet_stream_bind_port(struct uet_stream *st, u16 port);
void uet_stream_unbind_port(struct uet_stream *st);
bool uet_stream_may_listen(struct uet_stream *st);
struct sock *uet_stream_find_listener(struct uet_stream_ep *ep, u16 port, u32 hash);

/* stream_conn.c */
int uet_stream_open(struct sock *sk);
void uet_stream_setup(struct sock *sk);
void uet_stream_leave(struct sock *sk);
void uet_stream_be_orphan(struct sock *sk);
u32 uet_stream_window(const struct sock *sk);
bool uet_stream_may_grow(struct sock *sk, u32 bytes);
void uet_stream_count(struct sock *sk);
void uet_stream_advertise(struct sock *sk);
void uet_stream_push(struct sock *sk);
void uet_stream_done(struct sock *sk, int error);
void uet_stream_reset(struct sock *sk, u32 code, int error);
void uet_stream_send_pending(struct sock *sk);
void uet_stream_end(struct sock *sk);
bool uet_stream_busy(struct sock *sk);
void uet_stream_free_acked(struct sock *sk);
void uet_stream_arm(struct sock *sk);
void uet_stream_timer(struct timer_list *timer);

/* stream_rx.c */
struct sk_buff *uet_stream_take(struct uet_stream *st, struct uet_rx_message *rm,
				const struct uet_stream_head *head);
void uet_stream_enqueue(struct uet_stream *st, struct sk_buff *skb);
void uet_stream_work(struct sock *sk);
void uet_stream_refuse(struct uet_stream_ep *ep, const struct uet_fa *to,
		       const struct uet_stream_head *head, u32 code);

/* stream_demux.c */
void uet_stream_demux(struct tasklet_struct *tasklet);

/* stream_sock.c */
int uet_stream_init(void);
void uet_stream_fini(void);

/* stream_call.c */
int uet_stream_bind(struct socket *sock, struct sockaddr_unsized *uaddr, int len);
int uet_stream_connect(struct socket *sock, struct sockaddr_unsized *uaddr, int len, int flags);
int uet_stream_listen(struct socket *sock, int backlog);
int uet_stream_getname(struct socket *sock, struct sockaddr *uaddr, int peer);
void uet_stream_free_listen(struct uet_stream_listen *listen);
void uet_stream_drop_queue(struct sock *sk);
void uet_stream_publish(struct sock *sk);

/* stream_io.c */
int uet_stream_sendmsg(struct socket *sock, struct msghdr *msg, size_t len);
int uet_stream_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags);
int uet_stream_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg);
__poll_t uet_stream_poll(struct file *file, struct socket *sock, struct poll_table_struct *wait);

/* stream_opt.c */
int uet_stream_setsockopt(struct socket *sock, int level, int optname, sockptr_t optval,
			  unsigned int optlen);
int uet_stream_getsockopt(struct socket *sock, int level, int optname, char __user *optval,
			  int __user *optlen);

#endif
