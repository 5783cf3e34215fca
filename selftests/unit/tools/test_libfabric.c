// SPDX-License-Identifier: GPL-2.0
/*
 * The libfabric provider without a kernel: hints of applications and answers to them,
 * addresses, the table of atomic operations, objects that are bound, and operations on rings
 * that the test reads instead of the kernel.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/uet.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "atomics.h"
#include "endpoint.h"
#include "hints.h"
#include "name.h"
#include "provider.h"
#include "utest.h"

static struct lf_fabric fabric;

#define API	FI_VERSION(1, 17)

static struct fi_info *hints_for(uint64_t caps, int mr_mode)
{
	struct fi_info *hints = fi_allocinfo();

	hints->caps = caps;
	hints->ep_attr->type = FI_EP_RDM;
	hints->domain_attr->mr_mode = mr_mode;
	return hints;
}

static struct fi_info *answer(const struct fi_info *hints)
{
	struct fi_info *info = fi_allocinfo();

	lf_hints_answer(API, hints, info);
	return info;
}

TEST(hints__none_get_everything)
{
	struct fi_info *info = answer(NULL);

	EXPECT_NULL(lf_hints_refused(API, NULL));
	EXPECT_EQ(info->caps, LF_CAPS);
	EXPECT_EQ(info->tx_attr->caps, LF_TX_CAPS);
	EXPECT_EQ(info->rx_attr->caps, LF_RX_CAPS);
	EXPECT_EQ(info->ep_attr->type, FI_EP_RDM);
	EXPECT_EQ(info->domain_attr->threading, FI_THREAD_SAFE);
	EXPECT_EQ(info->domain_attr->data_progress, FI_PROGRESS_AUTO);
	EXPECT_EQ(info->domain_attr->mr_mode, FI_MR_ALLOCATED);
	fi_freeinfo(info);
}

/* The hints of mtl ofi of Open MPI 4.1: no kind of registration. */
TEST(hints__of_mtl_ofi_are_met)
{
	uint64_t caps = FI_TAGGED | FI_LOCAL_COMM | FI_REMOTE_COMM | FI_DIRECTED_RECV;
	struct fi_info *hints = hints_for(caps, 0), *info;

	hints->tx_attr->op_flags = FI_COMPLETION;
	hints->tx_attr->msg_order = FI_ORDER_SAS;
	hints->rx_attr->msg_order = FI_ORDER_SAS;
	hints->domain_attr->threading = FI_THREAD_DOMAIN;
	hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
	hints->domain_attr->av_type = FI_AV_MAP;
	hints->domain_attr->cq_data_size = 4;
	EXPECT_NULL(lf_hints_refused(FI_VERSION(1, 5), hints));
	info = answer(hints);
	EXPECT_EQ(info->caps & caps, caps);
	EXPECT_EQ(info->caps & (FI_RMA | FI_ATOMIC), 0);
	EXPECT_EQ(info->mode, 0);
	EXPECT_EQ(info->domain_attr->mr_mode, 0);
	EXPECT_EQ(info->domain_attr->threading, FI_THREAD_DOMAIN);
	EXPECT_EQ(info->domain_attr->av_type, FI_AV_MAP);
	EXPECT_TRUE(info->domain_attr->cq_data_size >= 4);
	EXPECT_EQ(info->tx_attr->op_flags, FI_COMPLETION);
	EXPECT_EQ(info->tx_attr->msg_order & FI_ORDER_SAS, FI_ORDER_SAS);
	fi_freeinfo(info);
	fi_freeinfo(hints);
}

/* The hints of btl ofi: it takes addresses or offsets. */
TEST(hints__of_btl_ofi_are_met)
{
	struct fi_info *hints = hints_for(FI_RMA | FI_ATOMIC, FI_MR_VIRT_ADDR |
					  FI_MR_ALLOCATED | FI_MR_PROV_KEY), *info;

	hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE;
	hints->tx_attr->iov_limit = 1;
	EXPECT_NULL(lf_hints_refused(FI_VERSION(1, 5), hints));
	info = answer(hints);
	EXPECT_EQ(info->domain_attr->mr_mode, FI_MR_ALLOCATED | FI_MR_PROV_KEY);
	EXPECT_TRUE(lf_mr_is_provider_key(info->domain_attr->mr_mode));
	EXPECT_EQ(info->tx_attr->caps & (FI_READ | FI_WRITE), FI_READ | FI_WRITE);
	EXPECT_EQ(info->rx_attr->caps & FI_REMOTE_WRITE, FI_REMOTE_WRITE);
	fi_freeinfo(info);
	fi_freeinfo(hints);
}

/* FI_MR_BASIC needs addresses of the peer: messages only. */
TEST(hints__with_mr_basic_get_messages_only)
{
	struct fi_info *hints = hints_for(FI_TAGGED | FI_MSG, FI_MR_LOCAL | FI_MR_ENDPOINT |
					  FI_MR_BASIC), *info;

	EXPECT_NULL(lf_hints_refused(API, hints));
	info = answer(hints);
	EXPECT_EQ(info->domain_attr->mr_mode, FI_MR_BASIC);
	fi_freeinfo(info);
	hints->caps |= FI_RMA;
	EXPECT_TRUE(lf_hints_refused(API, hints));
	hints->domain_attr->mr_mode = 0;
	EXPECT_TRUE(lf_hints_refused(API, hints));
	fi_freeinfo(hints);
}

/* A target counts operations: only it needs the capability, and each write is one. */
TEST(hints__with_rma_event_need_a_target)
{
	struct fi_info *hints = hints_for(FI_MSG | FI_RMA_EVENT, FI_MR_ALLOCATED), *info;

	EXPECT_TRUE(lf_hints_refused(API, hints));
	hints->caps = FI_RMA | FI_RMA_EVENT | FI_READ | FI_WRITE;
	EXPECT_TRUE(lf_hints_refused(API, hints));
	hints->caps |= FI_REMOTE_READ;
	EXPECT_NULL(lf_hints_refused(API, hints));
	hints->caps = FI_ATOMIC | FI_RMA_EVENT;
	EXPECT_NULL(lf_hints_refused(API, hints));
	hints->ep_attr->max_msg_size = LF_WRITE_MAX + 1;
	EXPECT_TRUE(lf_hints_refused(API, hints));
	hints->ep_attr->max_msg_size = LF_WRITE_MAX;
	EXPECT_NULL(lf_hints_refused(API, hints));
	info = answer(hints);
	EXPECT_EQ(info->caps & FI_RMA_EVENT, FI_RMA_EVENT);
	EXPECT_EQ(info->rx_attr->caps & FI_RMA_EVENT, FI_RMA_EVENT);
	EXPECT_EQ(info->tx_attr->caps & FI_RMA_EVENT, 0);
	EXPECT_EQ(info->ep_attr->max_msg_size, LF_WRITE_MAX);
	fi_freeinfo(info);
	hints->caps = FI_RMA_EVENT;
	EXPECT_NULL(lf_hints_refused(API, hints));
	info = answer(hints);
	EXPECT_EQ(info->caps, LF_CAPS | FI_RMA_EVENT);
	fi_freeinfo(info);
	hints->caps = FI_RMA;
	info = answer(hints);
	EXPECT_EQ(info->caps & FI_RMA_EVENT, 0);
	EXPECT_EQ(info->ep_attr->max_msg_size, LF_MESSAGE_MAX);
	fi_freeinfo(info);
	fi_freeinfo(hints);
}

TEST(hints__beyond_the_provider_are_refused)
{
	struct fi_info *hints = hints_for(FI_MSG, 0);

	EXPECT_NULL(lf_hints_refused(API, hints));
	hints->ep_attr->type = FI_EP_MSG;
	EXPECT_TRUE(lf_hints_refused(API, hints));
	hints->ep_attr->type = FI_EP_DGRAM;
	EXPECT_TRUE(lf_hints_refused(API, hints));
	hints->ep_attr->type = FI_EP_UNSPEC;
	EXPECT_NULL(lf_hints_refused(API, hints));
	hints->caps = FI_MSG | FI_HMEM;
	EXPECT_TRUE(lf_hints_refused(API, hints));
	hints->caps = FI_MSG;
	hints->tx_attr->msg_order = FI_ORDER_SAS | FI_ORDER_WAW;
	EXPECT_TRUE(lf_hints_refused(API, hints));
	hints->tx_attr->msg_order = 0;
	hints->tx_attr->inject_size = LF_INJECT_SIZE + 1;
	EXPECT_TRUE(lf_hints_refused(API, hints));
	hints->tx_attr->inject_size = LF_INJECT_SIZE;
	EXPECT_NULL(lf_hints_refused(API, hints));
	fi_freeinfo(hints);
}

static const struct lf_place place = {
	.fep = "fep0", .fa = { 10, 0, 0, 1 }, .mtu = 4096, .job = 7, .pid_min = 100,
	.pid_max = 199,
};

TEST(name__has_the_number_of_its_service)
{
	struct lf_name name;

	lf_name_of_place(&name, &place);
	EXPECT_EQ(name.ri, 0);
	EXPECT_EQ(lf_name_resolve(&name, "10.0.0.2", "47592", 100), 0);
	EXPECT_EQ(ntohs(name.pid), 100);
	EXPECT_EQ(ntohs(name.ri), 1 + 47592 % LF_RI_MAX);
	EXPECT_EQ(name.fa[3], 2);
	EXPECT_EQ(ntohl(name.job), 7);
	EXPECT_EQ(lf_name_resolve(&name, NULL, "none", 100), -FI_ENODATA);
	EXPECT_EQ(lf_name_resolve(&name, NULL, "65536", 100), -FI_ENODATA);
}

TEST(name__keeps_a_sockaddr)
{
	struct sockaddr_uet addr = {
		.suet_job = 7, .suet_pid = 101, .suet_ri = 3, .suet_initiator = 0x65003,
		.suet_flags = UET_ADDR_IPV6, .suet_fa6 = { 0xfd, [15] = 9 },
	};
	struct sockaddr_uet back;
	struct lf_name name;

	lf_name_from_sockaddr(&name, &addr);
	lf_name_to_sockaddr(&name, AF_UET, &back);
	addr.suet_family = AF_UET;
	addr.suet_version = UET_ADDR_VERSION;
	EXPECT_FALSE(memcmp(&addr, &back, sizeof(addr)));
}

TEST(name__has_two_formats)
{
	struct lf_name name, back;
	struct sockaddr_in sin;
	char bytes[32], text[LF_NAME_TEXT];

	lf_name_of_place(&name, &place);
	lf_name_resolve(&name, NULL, "2046", 100);
	EXPECT_EQ(lf_name_size(FI_FORMAT_UNSPEC), 32);
	lf_name_pack(&name, FI_FORMAT_UNSPEC, bytes);
	EXPECT_EQ(lf_name_unpack(&back, FI_FORMAT_UNSPEC, bytes, &place), 0);
	EXPECT_FALSE(memcmp(&name, &back, sizeof(name)));
	lf_name_pack(&name, FI_SOCKADDR_IN, &sin);
	EXPECT_EQ(ntohs(sin.sin_port), 2046);
	EXPECT_EQ(lf_name_unpack(&back, FI_SOCKADDR_IN, &sin, &place), 0);
	EXPECT_FALSE(memcmp(&name, &back, sizeof(name)));
	EXPECT_FALSE(strcmp(lf_name_print(&name, text), "10.0.0.1/100/2047"));
	bytes[0] = LF_NAME_VERSION + 1;
	EXPECT_EQ(lf_name_unpack(&back, FI_FORMAT_UNSPEC, bytes, &place), -FI_EINVAL);
	sin.sin_family = AF_INET6;
	EXPECT_EQ(lf_name_unpack(&back, FI_SOCKADDR_IN, &sin, &place), -FI_EINVAL);
}

TEST(hints__choose_the_format)
{
	struct fi_info *hints = hints_for(FI_MSG, 0);

	EXPECT_EQ(lf_hints_format(NULL), FI_FORMAT_UNSPEC);
	EXPECT_EQ(lf_hints_format(hints), FI_FORMAT_UNSPEC);
	hints->addr_format = FI_SOCKADDR;
	EXPECT_NULL(lf_hints_refused(API, hints));
	EXPECT_EQ(lf_hints_format(hints), FI_SOCKADDR_IN);
	hints->addr_format = FI_SOCKADDR_IN6;
	EXPECT_TRUE(lf_hints_refused(API, hints));
	fi_freeinfo(hints);
}

TEST(atomics__have_their_numbers)
{
	EXPECT_EQ(lf_atomic_op(FI_MIN), UET_AMO_MIN);
	EXPECT_EQ(lf_atomic_op(FI_SUM), UET_AMO_SUM);
	EXPECT_EQ(lf_atomic_op(FI_PROD), UET_AMO_PROD);
	EXPECT_EQ(lf_atomic_op(FI_CSWAP_GT), UET_AMO_CSWAP_GT);
	EXPECT_EQ(lf_atomic_op(FI_MSWAP), UET_AMO_MSWAP);
	EXPECT_EQ(lf_atomic_op(FI_ATOMIC_OP_LAST), -1);
	EXPECT_EQ(lf_atomic_type(FI_DOUBLE), UET_DT_DOUBLE);
	EXPECT_EQ(lf_atomic_type(FI_INT8), UET_DT_INT8);
	EXPECT_EQ(lf_atomic_type(FI_LONG_DOUBLE), -1);
	EXPECT_EQ(lf_atomic_type(FI_DOUBLE_COMPLEX), -1);
}

TEST(atomics__can_be_queried)
{
	struct fi_atomic_attr attr;

	EXPECT_EQ(lf_atomic_query(FI_UINT64, FI_SUM, LF_ATOMIC_CHANGE, 4096, &attr), 0);
	EXPECT_EQ(attr.count, 512);
	EXPECT_EQ(attr.size, 8);
	EXPECT_EQ(lf_atomic_query(FI_UINT64, FI_SUM, LF_ATOMIC_FETCH, 4096, &attr), 0);
	EXPECT_EQ(attr.count, 1);
	EXPECT_EQ(lf_atomic_query(FI_FLOAT, FI_BXOR, LF_ATOMIC_CHANGE, 4096, &attr),
		  -FI_EOPNOTSUPP);
	EXPECT_EQ(lf_atomic_query(FI_INT8, FI_ATOMIC_READ, LF_ATOMIC_CHANGE, 4096, &attr),
		  -FI_EOPNOTSUPP);
	EXPECT_EQ(lf_atomic_query(FI_INT8, FI_CSWAP, LF_ATOMIC_FETCH, 4096, &attr),
		  -FI_EOPNOTSUPP);
	EXPECT_EQ(lf_atomic_query(FI_INT8, FI_CSWAP, LF_ATOMIC_COMPARE, 4096, &attr), 0);
}

/* A completion ring with one record. */
struct ring {
	struct uet_cq_ring_head head;
	struct uet_completion record;
};

/* Users of a completion queue look for the operation at the context of each entry. */
TEST(late__an_injected_operation_fails)
{
	struct ring ring = {
		.head = {
			.tail = 1, .entries = 1, .entry_size = sizeof(struct uet_completion),
		},
		.record = { .cookie = LF_NO_COOKIE, .error = ECONNREFUSED, .count = 1 },
	};
	struct lf_ep ep = { .fd = -1, .memory_fd = -1, .cq.shared = &ring.head };
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_TAGGED };
	struct fi_cq_tagged_entry entry;
	struct fi_eq_err_entry error;
	struct lf_domain domain = { .fabric = &fabric };
	struct fid_cq *cq;
	uint32_t event;

	STAILQ_INIT(&ep.unfinished);
	EXPECT_EQ(lf_eq_open(&fabric.fid, NULL, &ep.eq, NULL), 0);
	EXPECT_EQ(lf_cq_open(&domain.fid, &attr, &cq, NULL), 0);
	ep.tx_cq = ep.rx_cq = lf_container(cq, struct lf_cq, fid);
	EXPECT_EQ(lf_eps_add(&ep.tx_cq->eps, &ep), 0);
	EXPECT_EQ(fi_cq_read(cq, &entry, 1), -FI_EAGAIN);
	EXPECT_EQ(ring.head.head, 1);
	EXPECT_EQ(fi_eq_read(ep.eq, &event, &error, sizeof(error), 0), -FI_EAVAIL);
	EXPECT_EQ(fi_eq_readerr(ep.eq, &error, 0), sizeof(error));
	EXPECT_EQ(error.err, ECONNREFUSED);
	EXPECT_TRUE(error.fid == &ep.fid.fid);
	EXPECT_STREQ(error.err_data, "Connection refused");
	EXPECT_STREQ(fi_eq_strerror(ep.eq, error.prov_errno, error.err_data, NULL, 0),
		     "Connection refused");
	EXPECT_STREQ(fi_eq_strerror(ep.eq, ECANCELED, NULL, NULL, 0), "Operation canceled");
	lf_eps_del(&ep.tx_cq->eps, &ep);
	EXPECT_EQ(fi_close(&cq->fid), 0);
	EXPECT_EQ(fi_close(&ep.eq->fid), 0);
}

/*
 * System calls of the provider.  The kernel of this machine need not know AF_UET.
 */
static struct {
	unsigned int removed;		/* peers, by UET_IOC_PEER_REMOVE */
	unsigned int last_removed;
	bool epoll_fails;
	unsigned int recvmsgs;
	int recv_errors[4];		/* of the next calls; 0: a reply of a family */
	unsigned int nr_recv_errors;
} fake;

/* The number of a peer is the last byte of its address. */
int ioctl(int fd, unsigned long request, ...)
{
	struct uet_peer *peer;
	va_list args;

	va_start(args, request);
	peer = va_arg(args, void *);
	va_end(args);
	if (request == UET_IOC_PEER) {
		peer->peer = ((const uint8_t *)&peer->addr.suet_fa4)[3];
		return 0;
	}
	if (request == UET_IOC_PEER_REMOVE) {
		fake.removed++;
		memcpy(&fake.last_removed, peer, sizeof(fake.last_removed));
		return 0;
	}
	errno = ENOTTY;
	return -1;
}

int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
	if (fake.epoll_fails) {
		errno = ENOSPC;
		return -1;
	}
	return (int)syscall(SYS_epoll_ctl, epfd, op, fd, event);
}

/* A reply to CTRL_CMD_GETFAMILY without the acknowledgement that follows it. */
static ssize_t put_family(struct msghdr *msg)
{
	const struct {
		struct nlmsghdr nlh;
		struct genlmsghdr genl;
		struct nlattr attr;
		uint16_t id;
		uint16_t pad;
	} reply = {
		.nlh = { .nlmsg_len = sizeof(reply), .nlmsg_type = GENL_ID_CTRL },
		.genl = { .cmd = CTRL_CMD_NEWFAMILY },
		.attr = { .nla_len = NLA_HDRLEN + 2, .nla_type = CTRL_ATTR_FAMILY_ID },
		.id = 99,
	};
	struct sockaddr_nl from = { .nl_family = AF_NETLINK };

	memcpy(msg->msg_iov->iov_base, &reply, sizeof(reply));
	memcpy(msg->msg_name, &from, sizeof(from));
	msg->msg_namelen = sizeof(from);
	return sizeof(reply);
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	unsigned int call = fake.recvmsgs++;

	if (call >= fake.nr_recv_errors)
		return syscall(SYS_recvmsg, fd, msg, flags);
	errno = fake.recv_errors[call];
	return errno ? -1 : put_family(msg);
}

/* A submission ring that a thread is said to poll, so that no call is made. */
struct entries {
	struct uet_sq_ring_head head;
	struct uet_sq_entry entry[4];
};

static void give_ring(struct lf_ep *ep, struct entries *entries)
{
	entries->head.entries = 4;
	entries->head.entry_size = sizeof(struct uet_sq_entry);
	entries->head.flags = UET_SQ_RING_POLLED;
	ep->sq.shared = &entries->head;
	STAILQ_INIT(&ep->free);
	STAILQ_INIT(&ep->unfinished);
}

/* How the memory is registered that has been given this access. */
static struct uet_mr_reg reg_given(uint64_t access)
{
	struct lf_domain domain = { .fid.fid.fclass = FI_CLASS_DOMAIN, .fid.mr = &lf_mr_ops };
	static char memory[64];
	struct uet_mr_reg given;
	struct fid_mr *mr;

	EXPECT_EQ(fi_mr_reg(&domain.fid, memory, sizeof(memory), access, 0, 1, 0, &mr, NULL), 0);
	given = lf_container(mr, struct lf_mr, fid)->reg;
	EXPECT_EQ(fi_close(&mr->fid), 0);
	return given;
}

/* The kernel asks for UET_MR_ATOMIC alone, whatever an atomic operation does. */
TEST(mr__only_memory_that_may_be_written_is_open_to_atomics)
{
	EXPECT_EQ(reg_given(FI_REMOTE_READ).access, UET_MR_READ);
	EXPECT_EQ(reg_given(FI_REMOTE_WRITE).access, UET_MR_WRITE | UET_MR_ATOMIC);
	EXPECT_EQ(reg_given(FI_REMOTE_READ | FI_REMOTE_WRITE).access,
		  UET_MR_READ | UET_MR_WRITE | UET_MR_ATOMIC);
	EXPECT_EQ(reg_given(FI_READ | FI_WRITE).access, 0);
}

/* Memory that peers only read may be such as cannot be written. */
TEST(mr__only_memory_that_may_be_written_is_pinned_for_writing)
{
	const uint32_t fixed = UET_MR_FIXED_KEY;

	EXPECT_EQ(reg_given(FI_SEND | FI_WRITE | FI_REMOTE_READ).flags,
		  fixed | UET_MR_READ_ONLY);
	EXPECT_EQ(reg_given(FI_RECV | FI_READ | FI_REMOTE_READ).flags,
		  fixed | UET_MR_READ_ONLY);
	EXPECT_EQ(reg_given(FI_REMOTE_WRITE).flags, fixed);
	EXPECT_EQ(reg_given(FI_REMOTE_READ | FI_REMOTE_WRITE).flags, fixed);
}

/* Register memory.  Return: 0, or the error. */
static int register_key(struct lf_domain *domain, uint64_t key, struct fid_mr **mr)
{
	static char memory[64];
	const struct iovec iov = { memory, sizeof(memory) };
	const struct fi_mr_attr attr = {
		.mr_iov = &iov, .iov_count = 1, .access = FI_REMOTE_WRITE, .requested_key = key,
	};

	domain->fid.fid.fclass = FI_CLASS_DOMAIN;
	return lf_mr_ops.regattr(&domain->fid.fid, &attr, 0, mr);
}

TEST(mr__keys_are_unique_and_in_range)
{
	struct lf_domain domain = { .fabric = &fabric };
	struct fid_mr *mrs[4];
	unsigned int i;

	EXPECT_EQ(register_key(&domain, 7, &mrs[0]), 0);
	EXPECT_EQ(fi_mr_key(mrs[0]), 7);
	EXPECT_EQ(register_key(&domain, 7, &mrs[1]), -FI_ENOKEY);
	EXPECT_EQ(register_key(&domain, UET_MR_KEY_MAX + 1, &mrs[1]), -FI_EKEYREJECTED);
	/* Some programs rely on their keys also where the provider may choose. */
	domain.mr_mode = FI_MR_ALLOCATED | FI_MR_PROV_KEY;
	EXPECT_EQ(register_key(&domain, 9, &mrs[1]), 0);
	EXPECT_EQ(fi_mr_key(mrs[1]), 9);
	EXPECT_EQ(register_key(&domain, 9, &mrs[2]), 0);
	EXPECT_NE(fi_mr_key(mrs[2]), 9);
	EXPECT_EQ(register_key(&domain, UET_MR_KEY_MAX + 1, &mrs[3]), 0);
	EXPECT_TRUE(fi_mr_key(mrs[3]) <= UET_MR_KEY_MAX);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(fi_close(&mrs[i]->fid), 0);
}

/* Some parts of a write have been submitted, and one has failed. */
TEST(write__a_failed_one_does_not_go_on)
{
	struct lf_ep ep = { .fd = -1, .memory_fd = -1 };
	struct entries entries = {};
	static char memory[64];
	struct lf_req *req;

	give_ring(&ep, &entries);
	req = lf_req_get(&ep, NULL, FI_RMA | FI_WRITE);
	req->rest.at = memory;
	req->rest.length = sizeof(memory);
	req->parts = 1;
	req->event.error = FI_ECANCELED;
	EXPECT_EQ(lf_write_continue(&ep, req), 0);
	EXPECT_EQ(req->rest.length, 0);
	EXPECT_EQ(req->parts, 1);
	EXPECT_EQ(entries.head.tail, 0);
	lf_reqs_free(&ep);
}

/* The default flags of receives are for both kinds; tagged ones are never multi-receives. */
TEST(recv__only_untagged_ones_are_multi_receives)
{
	struct lf_ep ep = { .rx_flags = FI_MULTI_RECV, .min_multi = 64 };
	struct entries entries = {};
	static char memory[256];

	give_ring(&ep, &entries);
	ep.fid.msg = &lf_msg_ops;
	ep.fid.tagged = &lf_tagged_ops;
	EXPECT_EQ(fi_trecv(&ep.fid, memory, sizeof(memory), NULL, FI_ADDR_UNSPEC, 1, 0, NULL), 0);
	EXPECT_EQ(fi_recv(&ep.fid, memory, sizeof(memory), NULL, FI_ADDR_UNSPEC, NULL), 0);
	EXPECT_EQ(entries.head.tail, 2);
	EXPECT_EQ(entries.entry[0].recv.flags & UET_RECV_MULTI, 0);
	EXPECT_EQ(entries.entry[1].recv.flags & UET_RECV_MULTI, UET_RECV_MULTI);
	lf_reqs_free(&ep);
}

/* Two addresses of a vector are one peer of the socket. */
TEST(peers__equal_addresses)
{
	struct lf_domain domain = { .fabric = &fabric };
	struct lf_ep ep = { .domain = &domain, .caps = FI_MSG | FI_SOURCE };
	struct lf_name name = { .fa = { 10, 0, 0, 9 } };

	fake.removed = 0;
	EXPECT_EQ(lf_ep_add_peer(&ep, 3, &name), 0);
	EXPECT_EQ(lf_ep_add_peer(&ep, 5, &name), 0);
	EXPECT_EQ(lf_ep_source(&ep, 9), 3);
	lf_ep_del_peer(&ep, 3);
	EXPECT_EQ(fake.removed, 0);
	EXPECT_EQ(lf_ep_source(&ep, 9), 5);
	EXPECT_EQ(lf_ep_peer(&ep, 5), 9);
	name.fa[3] = 8;
	EXPECT_EQ(lf_ep_add_peer(&ep, 3, &name), 0);
	EXPECT_EQ(lf_ep_source(&ep, 8), 3);
	lf_ep_del_peer(&ep, 5);
	EXPECT_EQ(fake.removed, 1);
	EXPECT_EQ(fake.last_removed, 9);
	EXPECT_EQ(lf_ep_source(&ep, 9), FI_ADDR_NOTAVAIL);
	lf_ep_free_peers(&ep);
}

/* Without FI_SOURCE a peer is counted all the same. */
TEST(peers__equal_addresses_without_sources)
{
	struct lf_domain domain = { .fabric = &fabric };
	struct lf_ep ep = { .domain = &domain, .caps = FI_MSG };
	struct lf_name name = { .fa = { 10, 0, 0, 9 } };

	fake.removed = 0;
	EXPECT_EQ(lf_ep_add_peer(&ep, 0, &name), 0);
	EXPECT_EQ(lf_ep_add_peer(&ep, 1, &name), 0);
	EXPECT_EQ(lf_ep_source(&ep, 9), FI_ADDR_NOTAVAIL);
	lf_ep_del_peer(&ep, 0);
	EXPECT_EQ(fake.removed, 0);
	lf_ep_del_peer(&ep, 1);
	EXPECT_EQ(fake.removed, 1);
	lf_ep_free_peers(&ep);
}

/* Messages that never end do not keep writes with completion data waiting. */
TEST(progress__remote_memory_has_its_turn)
{
	struct ring ring = {
		.head = { .entries = 1, .entry_size = sizeof(struct uet_completion) },
		.record = { .cookie = LF_NO_COOKIE, .error = ECONNREFUSED, .count = 1 },
	};
	struct lf_domain domain = { .fabric = &fabric };
	struct lf_ep ep = {
		.domain = &domain, .fd = -1, .memory_fd = 0, .cq.shared = &ring.head,
	};
	unsigned int i;

	STAILQ_INIT(&ep.unfinished);
	fake.recvmsgs = 0;
	fake.recv_errors[0] = fake.recv_errors[1] = EAGAIN;
	fake.nr_recv_errors = 2;
	for (i = 0; i < 32; i++) {
		ring.head.tail++;
		lf_ep_progress(&ep, NULL);
	}
	EXPECT_EQ(ring.head.head, 32);
	EXPECT_EQ(fake.recvmsgs, 2);
	fake.nr_recv_errors = 0;
}

/* An object that another one uses stays. */
TEST(close__bound_objects_are_busy)
{
	struct fi_info *info = answer(NULL);
	struct lf_domain domain = { .place = { .fa = { 10, 0, 0, 1 } } };
	struct fi_cq_attr cq_attr = { .format = FI_CQ_FORMAT_TAGGED };
	struct fi_cntr_attr cntr_attr = { .events = FI_CNTR_EVENTS_COMP };
	struct fi_av_attr av_attr = { .flags = FI_EVENT };
	struct fid_cntr *cntr;
	struct fid_ep *ep;
	struct fid_cq *cq;
	struct fid_eq *eq;
	struct fid_av *av;

	EXPECT_EQ(lf_eq_open(&fabric.fid, NULL, &eq, NULL), 0);
	EXPECT_EQ(lf_cq_open(&domain.fid, &cq_attr, &cq, NULL), 0);
	EXPECT_EQ(lf_cntr_open(&domain.fid, &cntr_attr, &cntr, NULL), 0);
	EXPECT_EQ(lf_av_open(&domain.fid, &av_attr, &av, NULL), 0);
	EXPECT_EQ(lf_ep_open(&domain.fid, info, &ep, NULL), 0);
	EXPECT_EQ(fi_av_bind(av, &eq->fid, 0), 0);
	EXPECT_EQ(fi_ep_bind(ep, &eq->fid, 0), 0);
	EXPECT_EQ(fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV), 0);
	EXPECT_EQ(fi_ep_bind(ep, &cntr->fid, FI_SEND | FI_READ), 0);
	EXPECT_EQ(fi_ep_bind(ep, &cntr->fid, FI_SEND), 0);
	EXPECT_EQ(fi_ep_bind(ep, &av->fid, 0), 0);
	EXPECT_EQ(fi_close(&cq->fid), -FI_EBUSY);
	EXPECT_EQ(fi_close(&cntr->fid), -FI_EBUSY);
	EXPECT_EQ(fi_close(&av->fid), -FI_EBUSY);
	EXPECT_EQ(fi_close(&eq->fid), -FI_EBUSY);
	EXPECT_EQ(fi_close(&ep->fid), 0);
	EXPECT_EQ(fi_close(&cq->fid), 0);
	EXPECT_EQ(fi_close(&cntr->fid), 0);
	EXPECT_EQ(fi_close(&eq->fid), -FI_EBUSY);
	EXPECT_EQ(fi_close(&av->fid), 0);
	EXPECT_EQ(fi_close(&eq->fid), 0);
	EXPECT_EQ(domain.refs, 0);
	fi_freeinfo(info);
}

/* The lowest descriptor that is free. */
static int free_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

TEST(wait__a_failure_leaves_no_descriptor)
{
	struct fi_eq_attr attr = { .wait_obj = FI_WAIT_FD };
	int before = free_fd();
	struct fid_eq *eq;

	fake.epoll_fails = true;
	EXPECT_EQ(lf_eq_open(&fabric.fid, &attr, &eq, NULL), -ENOSPC);
	fake.epoll_fails = false;
	EXPECT_EQ(free_fd(), before);
}

static void expect_addr(struct fid_av *av, fi_addr_t addr, const char *expected)
{
	char bytes[sizeof(struct lf_name)], text[LF_NAME_TEXT];
	size_t length = sizeof(bytes), size = sizeof(text);

	EXPECT_EQ(fi_av_lookup(av, addr, bytes, &length), 0);
	EXPECT_STREQ(fi_av_straddr(av, bytes, text, &size), expected);
}

TEST(av__resolves_services_and_following_nodes)
{
	struct lf_domain domain = { .place = { .fa = { 10, 0, 0, 1 }, .pid_min = 7 } };
	struct fi_av_attr attr = {};
	fi_addr_t addr[4];
	struct fid_av *av;

	EXPECT_EQ(lf_av_open(&domain.fid, &attr, &av, NULL), 0);
	EXPECT_EQ(fi_av_insertsvc(av, "10.0.0.2", "abc", addr, 0, NULL), 0);
	EXPECT_EQ(addr[0], FI_ADDR_NOTAVAIL);
	EXPECT_EQ(fi_av_insertsvc(av, "10.0.0.2", "65536", addr, 0, NULL), 0);
	EXPECT_EQ(fi_av_insertsym(av, "10.0.0.2", 1, "1x", 2, addr, 0, NULL), 0);
	EXPECT_EQ(addr[1], FI_ADDR_NOTAVAIL);
	EXPECT_EQ(fi_av_insertsvc(av, "10.0.0.2", "4", addr, 0, NULL), 1);
	expect_addr(av, addr[0], "10.0.0.2/7/5");
	EXPECT_EQ(fi_av_insertsym(av, "localhost", 1, "4", 1, addr, 0, NULL), 1);
	expect_addr(av, addr[0], "127.0.0.1/7/5");
	EXPECT_EQ(fi_av_insertsym(av, "10.0.0.255", 2, "4", 2, addr, 0, NULL), 4);
	expect_addr(av, addr[0], "10.0.0.255/7/5");
	expect_addr(av, addr[1], "10.0.0.255/7/6");
	expect_addr(av, addr[2], "10.0.1.0/7/5");
	expect_addr(av, addr[3], "10.0.1.0/7/6");
	EXPECT_EQ(fi_close(&av->fid), 0);
	domain.place.is_ipv6 = true;
	EXPECT_EQ(lf_av_open(&domain.fid, &attr, &av, NULL), 0);
	EXPECT_EQ(fi_av_insertsym(av, "fd00::9", 2, "4", 1, addr, 0, NULL), 2);
	expect_addr(av, addr[1], "fd00::a/7/5");
	EXPECT_EQ(fi_close(&av->fid), 0);
}

/* A change of the kernel's objects interrupts a dump, which then begins again. */
TEST(places__an_interrupted_dump_begins_again)
{
	struct lf_place *places;
	int ret;

	fake.recvmsgs = 0;
	fake.recv_errors[0] = fake.recv_errors[1] = EINTR;
	fake.nr_recv_errors = 2;
	ret = lf_places(&places);
	EXPECT_TRUE(!ret || ret == -ENOENT);
	lf_places_free(places);
	fake.nr_recv_errors = 0;
}

TEST(places__a_dump_that_stops_is_an_error)
{
	struct lf_place *places;

	fake.recvmsgs = 0;
	fake.recv_errors[0] = 0;
	fake.recv_errors[1] = ENOBUFS;
	fake.nr_recv_errors = 2;
	EXPECT_EQ(lf_places(&places), -ENOBUFS);
	EXPECT_NULL(places);
	fake.nr_recv_errors = 0;
}

TEST(params__wrong_ones_are_refused)
{
	struct fi_info *info;
	long number = -1;

	EXPECT_EQ(lf_number("V", NULL, 0, 9, &number), 0);
	EXPECT_EQ(lf_number("V", "", 0, 9, &number), 0);
	EXPECT_EQ(number, -1);
	EXPECT_EQ(lf_number("V", "9", 0, 9, &number), 0);
	EXPECT_EQ(number, 9);
	EXPECT_EQ(lf_number("V", "10", 0, 9, &number), -FI_EINVAL);
	EXPECT_EQ(lf_number("V", "-1", 0, 9, &number), -FI_EINVAL);
	EXPECT_EQ(lf_number("V", "1x", 0, 9, &number), -FI_EINVAL);
	EXPECT_EQ(lf_number("V", "abc", 0, 9, &number), -FI_EINVAL);
	EXPECT_EQ(number, 9);
	setenv("UET_JOB", "abc", 1);
	EXPECT_EQ(lf_getinfo(API, NULL, NULL, 0, NULL, &info), -FI_EINVAL);
	setenv("UET_JOB", "16777216", 1);
	EXPECT_EQ(lf_getinfo(API, NULL, NULL, 0, NULL, &info), -FI_EINVAL);
	unsetenv("UET_JOB");
	lf_params.is_wrong = true;
	EXPECT_EQ(lf_getinfo(API, NULL, NULL, 0, NULL, &info), -FI_EINVAL);
	lf_params.is_wrong = false;
}
