/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Endpoints: a socket with its two rings, a second socket for the remote memory of the
 * domain, and the operations under way.  Level: tool.
 */
#ifndef UET_LF_ENDPOINT_H
#define UET_LF_ENDPOINT_H

#include "object.h"

#define LF_CHUNK	256			/* operations in an array */
#define LF_CHUNKS	(UET_CQ_LIMIT / LF_CHUNK)

/*
 * Bytes of a receive that goes to memory of the endpoint and is copied when its completion
 * is read: less work than to pin a page.
 */
#define LF_SHORT	256

/* Cookie of an operation without a context. */
#define LF_NO_COOKIE	(~0ULL)

/**
 * struct lf_req - operation under way
 * @slot: its number, the cookie
 * @is_busy: it is under way
 * @is_silent: its error is an entry of the event queue
 * @is_reported: its end is an entry of a completion queue
 * @is_discard: it drops a claimed message
 * @is_short: @bounce is memory of its chunk
 * @context: of the user
 * @flags: of the completion
 * @buf: memory of the user
 * @length: bytes of it
 * @bounce: memory of the operation instead of @buf, or NULL
 * @iov: memory of the user in parts, for which @bounce stands
 * @iov_count: parts to copy to at the end
 * @parts: operations of the socket that have not ended
 * @deferred: bytes that count in lf_ep.deferred
 * @event: what they have reported
 * @rest: of a long write
 * @link: among free or unfinished ones
 */
struct lf_req {
	uint32_t slot;
	bool is_busy;
	bool is_silent;
	bool is_reported;
	bool is_discard;
	bool is_short;
	void *context;
	uint64_t flags;
	char *buf;
	size_t length;
	char *bounce;
	struct iovec iov[LF_IOV_LIMIT];
	unsigned int iov_count;
	unsigned int parts;
	size_t deferred;
	struct lf_event event;
	struct {
		const char *at;
		size_t length;
		struct uet_rma rma;
		uint32_t peer;
		uint8_t delivery;
		bool has_data;
		uint64_t data;
	} rest;
	STAILQ_ENTRY(lf_req) link;
};

STAILQ_HEAD(lf_reqs, lf_req);

/**
 * struct lf_chunk - operations with successive numbers
 * @reqs: LF_CHUNK operations
 * @memory: LF_SHORT bytes for each of them, a region of the socket whose key is the number
 *	of the chunk; NULL: not yet, MAP_FAILED: there is none
 */
struct lf_chunk {
	struct lf_req *reqs;
	char *memory;
};

/* Counters of an endpoint. */
enum lf_count {
	LF_COUNT_SEND,
	LF_COUNT_RECV,
	LF_COUNT_READ,
	LF_COUNT_WRITE,
	LF_COUNT_REMOTE_READ,
	LF_COUNT_REMOTE_WRITE,
	LF_COUNTS,
};

/**
 * struct lf_peer - numbers of an address at a socket
 * @message: for messages, 0: no peer
 * @memory: for its memory, 0: this endpoint begins no RMA
 */
struct lf_peer {
	uint32_t message;
	uint32_t memory;
};

/**
 * struct lf_ep - endpoint
 * @fid: for the user
 * @domain: of the endpoint
 * @caps: capabilities
 * @tx_flags: default flags of operations
 * @rx_flags: default flags of receives
 * @tx_cq: queue for operations, or NULL
 * @rx_cq: queue for receives, or NULL
 * @is_tx_selective: operations report with FI_COMPLETION only
 * @is_rx_selective: the same for receives
 * @cntrs: counters, or NULL
 * @eq: queue for errors of operations without a context, or NULL
 * @av: addresses of peers
 * @name: own address
 * @fd: socket, -1 until enabled
 * @memory_fd: socket of remote memory, -1: none
 * @lock: protects all below
 * @cq: completion ring of @fd
 * @sq: submission ring of @fd
 * @chunks: operations by number
 * @nr_chunks: of @chunks
 * @free: operations not in use, in the order of their ends
 * @unfinished: long writes that wait for space
 * @deferred: memory of deferrable messages that have not ended, bytes
 * @deferred_max: limit of them
 * @peers: by fi_addr_t
 * @nr_peers: places of @peers
 * @numbers: tree, from the number of a peer to its fi_addr_t
 * @busy_rounds: successive calls of lf_ep_progress() that did not read @memory_fd
 * @min_multi: FI_OPT_MIN_MULTI_RECV
 * @link: in lf_domain.eps
 */
struct lf_ep {
	struct fid_ep fid;
	struct lf_domain *domain;
	uint64_t caps;
	uint64_t tx_flags;
	uint64_t rx_flags;
	struct lf_cq *tx_cq;
	struct lf_cq *rx_cq;
	bool is_tx_selective;
	bool is_rx_selective;
	struct lf_cntr *cntrs[LF_COUNTS];
	struct fid_eq *eq;
	struct lf_av *av;
	struct lf_name name;
	int fd;
	int memory_fd;
	pthread_mutex_t lock;
	struct uet_cq cq;
	struct uet_sq sq;
	struct lf_chunk chunks[LF_CHUNKS];
	unsigned int nr_chunks;
	struct lf_reqs free;
	struct lf_reqs unfinished;
	size_t deferred;
	size_t deferred_max;
	struct lf_peer *peers;
	size_t nr_peers;
	void *numbers;
	unsigned int busy_rounds;
	size_t min_multi;
	LIST_ENTRY(lf_ep) link;
};

static inline struct lf_ep *lf_to_ep(struct fid_ep *fid)
{
	return lf_container(fid, struct lf_ep, fid);
}

int lf_ep_open(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep,
	       void *context);

/* ep_socket.c: open the sockets and their rings; all is undone by lf_ep_shut(). */
int lf_ep_enable(struct lf_ep *ep);
void lf_ep_shut(struct lf_ep *ep);

/* The counter is woken by operations of peers on the memory of the endpoint. */
int lf_ep_watch_remote(struct lf_ep *ep, struct lf_cntr *cntr);

/*
 * remote.c: counters of operations of peers on memory.  Such a counter watches all endpoints
 * of its domain.  lf_domain.lock is not held.
 */
int lf_cntr_begin_remote(struct lf_cntr *cntr);
void lf_cntr_end_remote(struct lf_cntr *cntr);
int lf_mr_begin_remote(struct lf_mr *mr, struct lf_cntr *cntr);
void lf_mr_end_remote(struct lf_mr *mr);
void lf_ep_count_remote(struct lf_ep *ep);

/* ep_peer.c.  Numbers of peers: 0, there is none. */
int lf_ep_add_peer(struct lf_ep *ep, fi_addr_t addr, const struct lf_name *name);
void lf_ep_del_peer(struct lf_ep *ep, fi_addr_t addr);
uint32_t lf_ep_peer(const struct lf_ep *ep, fi_addr_t addr);
uint32_t lf_ep_memory_peer(const struct lf_ep *ep, fi_addr_t addr);
fi_addr_t lf_ep_source(const struct lf_ep *ep, uint32_t peer);
void lf_ep_free_peers(struct lf_ep *ep);

/* progress.c */
void lf_ep_progress(struct lf_ep *ep, const struct lf_cq *reader);
/* Take what the ring has; the lock of the endpoint is held. */
void lf_ep_read_ring(struct lf_ep *ep);
bool lf_ep_ready(struct lf_ep *ep, bool takes_errors);
/* The error of an operation without a context.  @text: its reason, NULL: the kernel has it. */
void lf_ep_late(struct lf_ep *ep, int error, const char *text);
/* Report an event of an operation to queue and counter, which take its text. */
void lf_ep_report(struct lf_ep *ep, struct lf_event *event, bool is_reported,
		  const struct lf_cq *reader);

/* failure.c: the reason of a failure or of a cut message; allocated, NULL without memory */
char *lf_failure_text(const struct lf_ep *ep, const struct uet_completion *done);
/* The reason that the kernel has for the last error of the socket. */
void lf_last_error(const struct lf_ep *ep, int error, char text[LF_ERR_DATA]);

/*
 * request.c.  The lock of the endpoint is held.  An operation that is not submitted is
 * put back.
 */
struct lf_req *lf_req_get(struct lf_ep *ep, void *context, uint64_t flags);
/* Why lf_req_get() has returned NULL. */
int lf_req_none(const struct lf_ep *ep);
struct lf_req *lf_req_find(const struct lf_ep *ep, uint64_t cookie);
void lf_req_put(struct lf_ep *ep, struct lf_req *req);
void lf_reqs_free(struct lf_ep *ep);

size_t lf_iov_length(const struct iovec *iov, size_t count);
void lf_gather(char *to, const struct iovec *iov, size_t count);
/* Memory for an operation on several buffers.  Return: 0 or -FI_ENOMEM. */
int lf_req_bounce(struct lf_req *req, const struct iovec *iov, size_t count, bool is_result);
/* Memory of its chunk for a receive of at most LF_SHORT bytes.  Return: false, there is none. */
bool lf_req_short(struct lf_ep *ep, struct lf_req *req, const struct iovec *iov, size_t count);

static inline uint64_t lf_req_key(const struct lf_req *req)
{
	return req->slot / LF_CHUNK;
}

/* Its place in the memory of its chunk. */
static inline size_t lf_req_place(const struct lf_req *req)
{
	return (size_t)(req->slot % LF_CHUNK) * LF_SHORT;
}

/* Copy results to the buffers of the user. */
void lf_req_scatter(struct lf_req *req, size_t length);

/* submit.c: an entry of the submission ring, zeroed, and its execution. */
struct uet_sq_entry *lf_sq_begin(struct lf_ep *ep);
int lf_sq_submit(struct lf_ep *ep);

/* rma.c */
int lf_write_continue(struct lf_ep *ep, struct lf_req *req);

/* Whether an operation with @flags reports its end. */
static inline bool lf_is_reported(bool is_selective, uint64_t flags)
{
	return !is_selective || flags & FI_COMPLETION;
}

extern struct fi_ops_msg lf_msg_ops;
extern struct fi_ops_tagged lf_tagged_ops;
extern struct fi_ops_rma lf_rma_ops;
extern struct fi_ops_atomic lf_atomic_ops;

#endif
