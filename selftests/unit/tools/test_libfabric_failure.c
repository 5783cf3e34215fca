// SPDX-License-Identifier: GPL-2.0
/*
 * Failures of the libfabric provider without a kernel: completion queues have the address of
 * the peer and the reason as error data, in the buffer of the user or in their own.
 */
#include <errno.h>
#include <rdma/fi_domain.h>
#include <stdarg.h>
#include <sys/ioctl.h>

#include "endpoint.h"
#include "utest.h"

/* Peer 9 is 10.0.0.9/20/1, and the socket of its memory is peer 1009. */
int ioctl(int fd, unsigned long request, ...)
{
	struct uet_peer *peer;
	va_list args;

	va_start(args, request);
	peer = va_arg(args, void *);
	va_end(args);
	if (request != UET_IOC_PEER_ADDR) {
		errno = ENOTTY;
		return -1;
	}
	peer->addr = (struct sockaddr_uet){
		.suet_version = UET_ADDR_VERSION, .suet_pid = 20,
		.suet_ri = peer->peer < 1000 ? 1 : 1 + LF_RI_MEMORY,
	};
	memcpy(&peer->addr.suet_fa4, (uint8_t[]){ 10, 0, 0, 9 }, 4);
	return 0;
}

/* A completion ring with one record. */
struct ring {
	struct uet_cq_ring_head head;
	struct uet_completion record;
};

/* An operation and a receive under way, whose completions a test writes. */
struct failing {
	struct ring ring;
	struct lf_ep ep;
	struct lf_domain domain;
	struct lf_fabric fabric;
	struct fid_cq *cq;
};

static void failing_open(struct failing *f, uint32_t api)
{
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_TAGGED };

	memset(f, 0, sizeof(*f));
	f->ring.head.entries = 1;
	f->ring.head.entry_size = sizeof(f->ring.record);
	f->fabric.fid.api_version = api;
	f->domain.fabric = &f->fabric;
	f->ep = (struct lf_ep){ .fd = -1, .memory_fd = -1, .cq.shared = &f->ring.head };
	STAILQ_INIT(&f->ep.unfinished);
	STAILQ_INIT(&f->ep.free);
	ASSERT_EQ(lf_cq_open(&f->domain.fid, &attr, &f->cq, NULL), 0);
	f->ep.tx_cq = f->ep.rx_cq = lf_container(f->cq, struct lf_cq, fid);
	ASSERT_EQ(lf_eps_add(&f->ep.tx_cq->eps, &f->ep), 0);
}

static void failing_close(struct failing *f)
{
	lf_eps_del(&f->ep.tx_cq->eps, &f->ep);
	EXPECT_EQ(fi_close(&f->cq->fid), 0);
	lf_reqs_free(&f->ep);
}

static void failing_end(struct failing *f, uint64_t flags, struct uet_completion done)
{
	struct lf_req *req = lf_req_get(&f->ep, NULL, flags);

	req->parts = 1;
	done.cookie = req->slot;
	done.count = 1;
	f->ring.record = done;
	f->ring.head.tail++;
}

/* The entry of a failure has this text. */
static void fails_with(struct failing *f, uint64_t flags, struct uet_completion done,
		       const char *text)
{
	struct fi_cq_err_entry error = {};
	struct fi_cq_tagged_entry entry;

	failing_end(f, flags, done);
	EXPECT_EQ(fi_cq_read(f->cq, &entry, 1), -FI_EAVAIL);
	ASSERT_EQ(fi_cq_readerr(f->cq, &error, 0), 1);
	EXPECT_STREQ(error.err_data, text);
	EXPECT_EQ(error.err_data_size, strlen(text) + 1);
	EXPECT_STREQ(fi_cq_strerror(f->cq, error.prov_errno, error.err_data, NULL, 0), text);
}

TEST(failure__has_address_and_reason)
{
	struct failing f;

	failing_open(&f, FI_VERSION(1, 17));
	fails_with(&f, FI_SEND, (struct uet_completion){
			.error = ECONNREFUSED, .rc = 0x1a, .peer = 9 },
		   "10.0.0.9/20/1: no endpoint with that PIDonFEP");
	fails_with(&f, FI_WRITE, (struct uet_completion){
			.error = EFAULT, .rc = 0x1c, .peer = 1009 },
		   "10.0.0.9/20/1: no memory region with that key");
	fails_with(&f, FI_SEND, (struct uet_completion){ .error = ETIMEDOUT, .peer = 9 },
		   "10.0.0.9/20/1: no answer for as long as peer-timeout");
	fails_with(&f, FI_SEND, (struct uet_completion){
			.error = ECONNRESET, .nack_code = 0x11, .peer = 9 },
		   "10.0.0.9/20/1: the connection was refused, NACK code 0x11");
	fails_with(&f, FI_SEND, (struct uet_completion){
			.error = EMSGSIZE, .peer = 9, .flags = UET_COMPLETION_REFUSED },
		   "10.0.0.9/20/1: refused here: Message too long");
	fails_with(&f, FI_SEND, (struct uet_completion){ .error = EREMOTEIO, .rc = 0x31 },
		   "unknown return code 0x31");
	fails_with(&f, FI_RECV, (struct uet_completion){
			.flags = UET_COMPLETION_RECV | UET_COMPLETION_TRUNC, .opcode = 5,
			.length = 10, .msg_length = 25, .peer = 9 },
		   "10.0.0.9/20/1: the message has 25 bytes, its receive 10");
	fails_with(&f, FI_RECV, (struct uet_completion){
			.error = ECANCELED, .flags = UET_COMPLETION_RECV },
		   "Operation canceled");
	EXPECT_STREQ(fi_cq_strerror(f.cq, 0x1a00, NULL, NULL, 0),
		     "no endpoint with that PIDonFEP: return code 0x1a, NACK code 0x00");
	/* Nobody reads this one. */
	failing_end(&f, FI_SEND, (struct uet_completion){ .error = ECONNREFUSED, .rc = 0x1a });
	EXPECT_EQ(fi_cq_read(f.cq, &(struct fi_cq_tagged_entry){}, 1), -FI_EAVAIL);
	failing_close(&f);
}

static void read_into(uint32_t api, char *buf, size_t size, struct fi_cq_err_entry *error)
{
	struct fi_cq_tagged_entry entry;
	struct failing f;

	failing_open(&f, api);
	failing_end(&f, FI_SEND, (struct uet_completion){
			.error = ECONNREFUSED, .rc = 0x1a, .peer = 9 });
	EXPECT_EQ(fi_cq_read(f.cq, &entry, 1), -FI_EAVAIL);
	*error = (struct fi_cq_err_entry){ .err_data = buf, .err_data_size = size };
	EXPECT_EQ(fi_cq_readerr(f.cq, error, 0), 1);
	failing_close(&f);
}

TEST(failure__is_put_into_the_buffer_of_the_user)
{
	struct fi_cq_err_entry error;
	char buf[64] = "", text[8];

	read_into(FI_VERSION(1, 5), buf, sizeof(buf), &error);
	EXPECT_STREQ(buf, "10.0.0.9/20/1: no endpoint with that PIDonFEP");
	EXPECT_TRUE(error.err_data == buf);
	EXPECT_EQ(error.err_data_size, strlen(buf) + 1);
	read_into(FI_VERSION(1, 5), buf, 9, &error);
	EXPECT_STREQ(buf, "10.0.0.9");
	EXPECT_EQ(error.err_data_size, 9);
	/* Before 1.5 it is no argument. */
	*buf = 0;
	read_into(FI_VERSION(1, 4), buf, sizeof(buf), &error);
	EXPECT_STREQ(buf, "");
	EXPECT_FALSE(error.err_data == buf);
	EXPECT_STREQ(lf_put_text("longer than that", text, sizeof(text)), "longer ");
}
