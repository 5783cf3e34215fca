/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Shared by all files of the libfabric provider: its name, its parameters, the log, the
 * limits that fi_getinfo() announces, and operations for calls that do not exist.
 * Level: tool.
 */
#ifndef UET_LF_PROVIDER_H
#define UET_LF_PROVIDER_H

#include <rdma/fabric.h>
#include <rdma/fi_errno.h>
#include <rdma/providers/fi_log.h>
#include <rdma/providers/fi_prov.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits of an endpoint, as fi_getinfo() announces them. */
#define LF_INJECT_SIZE	65536		/* bytes, that the kernel copies */
#define LF_IOV_LIMIT	4
#define LF_QUEUE_SIZE	4096		/* operations of a kind under way */
#define LF_QUEUE_MAX	8192		/* both kinds fit UET_CQ_LIMIT */
#define LF_MESSAGE_MAX	0x7fffffffUL	/* bytes */
#define LF_WRITE_MAX	(1UL << 20)	/* bytes of a write that is one operation */
#define LF_TAG_FORMAT	0xaaaaaaaaaaaaaaaaULL	/* every bit of a tag is a field */
#define LF_ERR_DATA	192		/* the reason of a failure as text, bytes */
#define LF_MIN_MULTI	64		/* FI_OPT_MIN_MULTI_RECV at first, bytes */

#define LF_TX_CAPS	(FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC | FI_SEND | \
			 FI_READ | FI_WRITE)
#define LF_RX_CAPS	(FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC | FI_RECV | \
			 FI_REMOTE_READ | FI_REMOTE_WRITE | FI_DIRECTED_RECV | \
			 FI_MULTI_RECV | FI_SOURCE)
#define LF_DOMAIN_CAPS	(FI_LOCAL_COMM | FI_REMOTE_COMM)
/* An application must ask for FI_RMA_EVENT, because it limits the length of messages. */
#define LF_CAPS		(LF_TX_CAPS | LF_RX_CAPS | LF_DOMAIN_CAPS)

/* Bytes of the longest message of an endpoint with @caps. */
static inline size_t lf_message_max(uint64_t caps)
{
	return caps & FI_RMA_EVENT ? LF_WRITE_MAX : LF_MESSAGE_MAX;
}

/* In entry.c or alias.c. */
extern struct fi_provider lf_provider;

/**
 * struct lf_params - the FI_UET_* variables, see fi_uet(7)
 * @job: JobID, 0: UET_JOB, else the only job
 * @pid: PIDonFEP of addresses by node and service, -1: the first of the job
 * @deferrable: messages above this may be deferred by their receiver, bytes
 * @rendezvous: messages above this are read by their receiver, bytes
 * @is_wrong: a variable is wrong, so fi_getinfo() fails
 */
struct lf_params {
	long job;
	long pid;
	long deferrable;
	long rendezvous;
	bool is_wrong;
};

extern struct lf_params lf_params;

#define LF_WARN(subsys, ...)	FI_WARN(&lf_provider, FI_LOG_##subsys, __VA_ARGS__)
#define LF_INFO(subsys, ...)	FI_INFO(&lf_provider, FI_LOG_##subsys, __VA_ARGS__)

#define lf_container(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

/*
 * The number in @text, of the variable or argument @name; without a text @number keeps its
 * value.  Return: 0, or -FI_EINVAL after a line in the log.
 */
int lf_number(const char *name, const char *text, long min, long max, long *number);

/* In provider.c. */
void lf_read_params(void);
void lf_cleanup(void);

/* For the places of struct fi_ops that an object does not use. */
int lf_no_bind(struct fid *fid, struct fid *other, uint64_t flags);
int lf_no_control(struct fid *fid, int command, void *arg);
int lf_no_ops_open(struct fid *fid, const char *name, uint64_t flags, void **ops,
		   void *context);

/* info.c */
int lf_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
	       const struct fi_info *hints, struct fi_info **info);

/* fabric.c */
int lf_fabric_open(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context);

#endif
