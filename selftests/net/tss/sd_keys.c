// SPDX-License-Identifier: GPL-2.0
/*
 * Keys of secure domains over raw netlink: that nothing the kernel sends back has
 * one in it, not even a refusal, which is a copy of the request; that number and
 * check of a key are told; and that revoking lasts.  A network namespace of its
 * own; needs root and the module, nothing else.  Level: test.
 */
#define _GNU_SOURCE
#include "uetns.h"

#define KEY_LEN		32
#define MASK_LEN	12

static int nl_fd;
static uint16_t nl_family;
static const uint8_t key[KEY_LEN] = "Kthis is not a word in a message";
static const uint8_t mask[MASK_LEN] = "Mnor is this";

static void set_up(void)
{
	close(uetns_enter(&nl_family));
	/* Without NETLINK_CAP_ACK: a refusal has the whole request in it. */
	nl_fd = nlreq_open(NETLINK_GENERIC);
}

static void begin(struct nlreq *req, uint8_t cmd, const char *name)
{
	nlreq_begin_genl(req, nl_family, cmd, 0);
	if (name)
		nlreq_put_string(req, UET_A_SD_NAME, name);
}

static void put_u8(struct nlreq *req, uint16_t type, uint8_t value)
{
	nlreq_put(req, type, &value, sizeof(value));
}

/* The answer as it comes, with the request in it if that is refused. */
static int ask(struct nlreq *req)
{
	static uint32_t seq;
	static char buf[65536];
	const struct nlmsghdr *nlh = (void *)buf;
	const struct nlmsgerr *err;
	ssize_t size;

	req->nlh.nlmsg_seq = ++seq;
	ASSERT_EQ(send(nl_fd, req, req->nlh.nlmsg_len, 0), req->nlh.nlmsg_len);
	do {
		size = recv(nl_fd, buf, sizeof(buf), 0);
		ASSERT_SYS(size);
		EXPECT(!memmem(buf, size, key, 8));
		EXPECT(!memmem(buf, size, mask, 8));
	} while (nlh->nlmsg_type != NLMSG_ERROR);
	err = NLMSG_DATA(nlh);
	/* It is not by chance that there is no key: there is the rest. */
	if (err->error)
		EXPECT(nlh->nlmsg_len >= NLMSG_LENGTH(sizeof(*err)) +
					 req->nlh.nlmsg_len - NLMSG_HDRLEN);
	return -err->error;
}

static void add_sd(const char *name, bool is_client)
{
	struct nlreq req;

	begin(&req, UET_CMD_SD_NEW, name);
	nlreq_put_u32(&req, UET_A_SD_SDI, 7);
	if (is_client) {
		put_u8(&req, UET_A_SD_MODE, UET_SD_MODE_SERVER);
		nlreq_put(&req, UET_A_SD_CLIENT, NULL, 0);
	}
	ASSERT_EQ(ask(&req), 0);
}

/* A request that sets a key, so far without a mask. */
static void begin_key(struct nlreq *req, const char *name, uint8_t an)
{
	begin(req, UET_CMD_SD_SET, name);
	put_u8(req, UET_A_SD_AN, an);
	nlreq_put(req, UET_A_SD_KEY, key, sizeof(key));
}

static void begin_tagged(struct nlreq *req, uint8_t first, uint8_t an,
			 uint32_t number, uint32_t check)
{
	uint8_t bytes[KEY_LEN] = { first };

	begin(req, UET_CMD_SD_SET, "s");
	put_u8(req, UET_A_SD_AN, an);
	nlreq_put(req, UET_A_SD_KEY, bytes, sizeof(bytes));
	nlreq_put_u32(req, UET_A_SD_NUMBER, number);
	nlreq_put_u32(req, UET_A_SD_CHECK, check);
}

/* Return: 0 or an errno. */
static int revoke_sd(const char *name)
{
	struct nlreq req;

	begin(&req, UET_CMD_SD_SET, name);
	nlreq_put(&req, UET_A_SD_REVOKE, NULL, 0);
	return ask(&req);
}

TEST(sd_keys__a_refusal_has_no_key_in_it)
{
	struct nlreq req;

	set_up();
	add_sd("s", false);
	add_sd("c", true);

	begin_key(&req, "nobody", 0);
	EXPECT_EQ(ask(&req), ENOENT);
	begin_key(&req, NULL, 0);
	EXPECT_EQ(ask(&req), EINVAL);
	begin(&req, UET_CMD_SD_SET, "s");
	nlreq_put(&req, UET_A_SD_KEY, key, sizeof(key));
	EXPECT_EQ(ask(&req), EINVAL);
	begin_key(&req, "s", 0);
	nlreq_put(&req, UET_A_SD_MASK, mask, sizeof(mask));
	EXPECT_EQ(ask(&req), EINVAL);
	begin_key(&req, "c", 0);
	EXPECT_EQ(ask(&req), EINVAL);
	begin_key(&req, "c", 0);
	nlreq_put(&req, UET_A_SD_KEY, key, sizeof(key));
	EXPECT_EQ(ask(&req), EINVAL);
	begin_key(&req, "s", 0);
	put_u8(&req, UET_A_SD_USE, 0);
	EXPECT_EQ(ask(&req), EINVAL);
	begin(&req, UET_CMD_SD_SET, "c");
	nlreq_put(&req, UET_A_SD_MASK, mask, sizeof(mask));
	put_u8(&req, UET_A_SD_FORGET, 0);
	EXPECT_EQ(ask(&req), EINVAL);

	begin_key(&req, "c", 0);
	nlreq_put(&req, UET_A_SD_MASK, mask, sizeof(mask));
	EXPECT_EQ(ask(&req), 0);
	begin_key(&req, "c", 1);
	nlreq_put(&req, UET_A_SD_MASK, mask, sizeof(mask));
	EXPECT_EQ(ask(&req), EEXIST);
	begin(&req, UET_CMD_SD_GET, NULL);
	req.nlh.nlmsg_flags |= NLM_F_ACK;
	EXPECT_EQ(ask(&req), EINVAL);
	begin(&req, UET_CMD_SD_GET, "c");
	EXPECT_EQ(ask(&req), 0);
}

TEST(sd_keys__revoked_keys_and_their_like_are_refused)
{
	struct nlreq req;

	set_up();
	add_sd("s", false);
	begin_tagged(&req, 1, 0, 8, 0xaa);
	ASSERT_EQ(ask(&req), 0);
	begin_tagged(&req, 2, 1, 9, 0xbb);
	ASSERT_EQ(ask(&req), 0);
	begin(&req, UET_CMD_SD_SET, "s");
	put_u8(&req, UET_A_SD_USE, 1);
	ASSERT_EQ(ask(&req), 0);

	EXPECT_EQ(revoke_sd("nobody"), ENOENT);
	EXPECT_EQ(revoke_sd("s"), 0);

	begin(&req, UET_CMD_SD_SET, "s");
	put_u8(&req, UET_A_SD_FORGET, 1);
	EXPECT_EQ(ask(&req), ENOKEY);
	begin_tagged(&req, 3, 0, 10, 0xaa);
	EXPECT_EQ(ask(&req), EKEYREVOKED);
	begin_tagged(&req, 3, 1, 11, 0xbb);
	EXPECT_EQ(ask(&req), EKEYREVOKED);
	begin_tagged(&req, 3, 0, 10, 0xcc);
	EXPECT_EQ(ask(&req), 0);
	begin_tagged(&req, 4, 1, 0, 0);
	EXPECT_EQ(ask(&req), 0);
	/* Again, with nothing to revoke: what was stays. */
	EXPECT_EQ(revoke_sd("s"), 0);
	EXPECT_EQ(revoke_sd("s"), 0);
	begin_tagged(&req, 3, 0, 10, 0xcc);
	EXPECT_EQ(ask(&req), EKEYREVOKED);
}

TEST(sd_keys__names_are_for_keys)
{
	struct nlreq req;

	set_up();
	add_sd("s", false);
	begin(&req, UET_CMD_SD_SET, "s");
	nlreq_put_u32(&req, UET_A_SD_NUMBER, 1);
	EXPECT_EQ(ask(&req), EINVAL);
	begin(&req, UET_CMD_SD_SET, "s");
	nlreq_put(&req, UET_A_SD_REVOKE, NULL, 0);
	nlreq_put_u32(&req, UET_A_SD_CHECK, 1);
	EXPECT_EQ(ask(&req), EINVAL);
	begin_key(&req, "s", 0);
	nlreq_put(&req, UET_A_SD_REVOKE, NULL, 0);
	EXPECT_EQ(ask(&req), EINVAL);
}

HARNESS_MAIN()
