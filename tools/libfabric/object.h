/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The objects of the provider and what they ask of each other.
 *
 * Locks, in the order in which they are taken: lf_domain.lock, the lf_eps.lock of an
 * address vector, that of a queue or counter, lf_ep.lock, lf_cq.lock, lf_domain.count_lock.
 * Level: tool.
 */
#ifndef UET_LF_OBJECT_H
#define UET_LF_OBJECT_H

#include <pthread.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <stdatomic.h>
#include <sys/queue.h>

#include <linux/uet.h>

#include "name.h"
#include "provider.h"
#include "uet_cq.h"
#include "uet_sq.h"

struct lf_ep;

/**
 * struct lf_fabric - the fabric: there is one
 * @fid: for the user
 * @refs: domains and event queues
 */
struct lf_fabric {
	struct fid_fabric fid;
	atomic_uint refs;
};

/**
 * struct lf_domain - a place, where endpoints are opened
 * @fid: for the user
 * @fabric: where it was opened
 * @eq: queue of its events, or NULL
 * @place: FEP and job
 * @family: number of AF_UET
 * @mr_mode: how memory is registered
 * @format: of addresses
 * @lock: protects the lists
 * @eps: enabled endpoints with remote memory
 * @mrs: regions
 * @cntrs: counters of operations of peers on memory
 * @is_counting: there was one of @cntrs
 * @count_lock: protects @counted
 * @counted: regions with a counter
 * @refs: objects that use the domain
 */
struct lf_domain {
	struct fid_domain fid;
	struct lf_fabric *fabric;
	struct fid_eq *eq;
	struct lf_place place;
	int family;
	int mr_mode;
	uint32_t format;
	pthread_mutex_t lock;
	LIST_HEAD(, lf_ep) eps;
	LIST_HEAD(, lf_mr) mrs;
	LIST_HEAD(, lf_cntr) cntrs;
	atomic_bool is_counting;
	pthread_mutex_t count_lock;
	LIST_HEAD(, lf_mr) counted;
	atomic_uint refs;
};

int lf_domain_open(struct fid_fabric *fabric, struct fi_info *info,
		   struct fid_domain **domain, void *context);

/**
 * struct lf_wait - what a thread sleeps on
 * @obj: FI_WAIT_NONE: nothing sleeps
 * @epoll: has @event and the sockets of endpoints
 * @event: eventfd, for what no socket reports
 * @is_set: @event was written
 */
struct lf_wait {
	enum fi_wait_obj obj;
	int epoll;
	int event;
	atomic_bool is_set;
};

/* Each returns 0 or a negative FI_* error. */
int lf_wait_open(struct lf_wait *wait, enum fi_wait_obj obj);
void lf_wait_close(struct lf_wait *wait);
int lf_wait_add(struct lf_wait *wait, int fd, uint32_t events);
void lf_wait_del(struct lf_wait *wait, int fd);
void lf_wait_signal(struct lf_wait *wait);
void lf_wait_clear(struct lf_wait *wait);
/* Sleep, @timeout ms, -1 without limit; FI_WAIT_NONE: let others run. */
void lf_wait_sleep(struct lf_wait *wait, int timeout);
/* fi_control(): FI_GETWAIT, FI_GETWAITOBJ. */
int lf_wait_control(struct lf_wait *wait, int command, void *arg);

/* Time for sleeping: the end, and the rest in ms; -1: without limit. */
int64_t lf_deadline(int timeout);
int lf_rest(int64_t deadline);

/**
 * struct lf_eps - endpoints that report to a completion queue or a counter
 * @lock: held while they are asked
 * @list: endpoints
 * @count: of them
 * @space: places of @list
 */
struct lf_eps {
	pthread_mutex_t lock;
	struct lf_ep **list;
	unsigned int count;
	unsigned int space;
};

struct lf_cq;

void lf_eps_init(struct lf_eps *eps);
void lf_eps_fini(struct lf_eps *eps);
int lf_eps_add(struct lf_eps *eps, struct lf_ep *ep);
void lf_eps_del(struct lf_eps *eps, const struct lf_ep *ep);
/* Collect what their sockets report.  @reader needs no signal. */
void lf_eps_progress(struct lf_eps *eps, const struct lf_cq *reader);
/* Whether a socket has something to report.  @takes_errors: ask for errors, too. */
bool lf_eps_ready(struct lf_eps *eps, bool takes_errors);

/**
 * struct lf_event - an entry of a completion queue
 * @context: of the operation
 * @flags: of the completion
 * @length: bytes
 * @buf: where a multi-receive put the message, else NULL or the buffer
 * @data: completion data
 * @tag: match bits
 * @source: the sender, FI_ADDR_NOTAVAIL
 * @cut: bytes of the message that were not received
 * @error: 0, or the FI_* error
 * @detail: return code and NACK code
 * @text: reason of the failure, allocated; NULL: that of @error
 */
struct lf_event {
	void *context;
	uint64_t flags;
	size_t length;
	void *buf;
	uint64_t data;
	uint64_t tag;
	fi_addr_t source;
	size_t cut;
	int error;
	int detail;
	char *text;
};

/**
 * struct lf_cq - completion queue
 * @fid: for the user
 * @domain: of the queue
 * @format: of entries
 * @binds: uses by endpoints, which need not be enabled
 * @eps: enabled endpoints that report here
 * @wait: for sleeping
 * @is_signalled: fi_cq_signal() was called
 * @lock: protects the entries
 * @events: entries
 * @head: number of the first entry, modulo 2^32
 * @tail: number behind the last one
 * @space: places of @events, a power of two
 * @text: reason of the error that was read last
 */
struct lf_cq {
	struct fid_cq fid;
	struct lf_domain *domain;
	enum fi_cq_format format;
	atomic_uint binds;
	struct lf_eps eps;
	struct lf_wait wait;
	atomic_bool is_signalled;
	pthread_mutex_t lock;
	struct lf_event *events;
	uint32_t head;
	uint32_t tail;
	uint32_t space;
	char text[LF_ERR_DATA];
};

int lf_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **cq,
	       void *context);
/* Append an entry, whose text it takes.  @reader: the queue that is being read, if any. */
void lf_cq_add(struct lf_cq *cq, const struct lf_event *event, const struct lf_cq *reader);
/* Whether a thread may sleep: 0, or -FI_EAGAIN. */
int lf_cq_trywait(struct lf_cq *cq);

/**
 * struct lf_cntr - counter
 * @fid: for the user
 * @domain: of the counter
 * @binds: uses by endpoints, which need not be enabled
 * @eps: enabled endpoints that report here
 * @wait: for sleeping
 * @value: operations
 * @errors: operations that failed
 * @is_remote: it counts, or has counted, operations of peers on memory
 * @link: in lf_domain.cntrs, with @is_remote
 */
struct lf_cntr {
	struct fid_cntr fid;
	struct lf_domain *domain;
	atomic_uint binds;
	struct lf_eps eps;
	struct lf_wait wait;
	atomic_uint_fast64_t value;
	atomic_uint_fast64_t errors;
	bool is_remote;
	LIST_ENTRY(lf_cntr) link;
};

int lf_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr,
		 struct fid_cntr **cntr, void *context);
/* @cntr may be NULL. */
void lf_cntr_count(struct lf_cntr *cntr, bool is_error);
void lf_cntr_add(struct lf_cntr *cntr, uint64_t value);
int lf_cntr_trywait(struct lf_cntr *cntr);

int lf_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr, struct fid_eq **eq,
	       void *context);
/* Append an error.  @text: its reason. */
void lf_eq_fail(struct fid_eq *eq, const struct fi_eq_err_entry *entry, const char *text);
int lf_eq_trywait(struct fid_eq *eq);
/* Bind a queue, or NULL, in place of another one.  A queue that is bound cannot be closed. */
void lf_eq_bind(struct fid_eq **place, struct fid_eq *eq);

/*
 * failure.c: give the user the text of an error as error data: in the buffer of the user, if
 * there is one and the API has such buffers, else @text itself.
 */
void lf_put_err_data(char *text, uint32_t api, void **data, size_t *size);
/* In the buffer of the user, if there is one.  Return: the text. */
const char *lf_put_text(const char *text, char *buf, size_t len);
/* The meaning of the return code in fi_cq_err_entry.prov_errno. */
const char *lf_code_text(int detail);

int lf_poll_open(struct fid_domain *domain, struct fi_poll_attr *attr,
		 struct fid_poll **pollset);

/**
 * struct lf_av - addresses of peers
 * @fid: for the user
 * @domain: of the addresses
 * @eq: where fi_av_insert() reports with @is_async, or NULL
 * @is_async: opened with FI_EVENT
 * @binds: endpoints, which need not be enabled
 * @eps: enabled endpoints that use it; its lock protects all below
 * @names: addresses by index, which is the fi_addr_t; version 0: none
 * @count: all indices below it are in use
 * @space: places of @names
 */
struct lf_av {
	struct fid_av fid;
	struct lf_domain *domain;
	struct fid_eq *eq;
	bool is_async;
	atomic_uint binds;
	struct lf_eps eps;
	struct lf_name *names;
	size_t count;
	size_t space;
};

int lf_av_open(struct fid_domain *domain, struct fi_av_attr *attr, struct fid_av **av,
	       void *context);
/* Give all addresses to a new endpoint.  The lock of @eps is held. */
int lf_av_each(struct lf_av *av, struct lf_ep *ep);

/**
 * struct lf_mr - memory region, registered on each endpoint with remote memory
 * @fid: for the user
 * @domain: of the region
 * @reg: registration
 * @cntr: counter of writes and atomic operations of peers, or NULL
 * @link: in lf_domain.mrs
 * @counted: in lf_domain.counted, with @cntr
 */
struct lf_mr {
	struct fid_mr fid;
	struct lf_domain *domain;
	struct uet_mr_reg reg;
	struct lf_cntr *cntr;
	LIST_ENTRY(lf_mr) link;
	LIST_ENTRY(lf_mr) counted;
};

extern struct fi_ops_mr lf_mr_ops;

/* Local memory is named by its address, so that only peers need a registration. */
static inline bool lf_mr_is_remote(const struct lf_mr *mr)
{
	return mr->reg.access && mr->reg.length;
}

/* Register all regions on a new endpoint.  lf_domain.lock is held. */
int lf_mr_register_all(struct lf_domain *domain, int fd);

#endif
