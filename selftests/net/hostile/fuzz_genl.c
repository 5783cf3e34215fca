// SPDX-License-Identifier: GPL-2.0
/*
 * A fuzzer of the generic netlink family "uet".  It writes requests that are
 * right, most of them, then damages what they are made of: attributes missing,
 * doubled, moved, cut, stretched, nested, of other sets, with lengths that lie;
 * headers with other commands, versions, flags and lengths; several requests in
 * one datagram.  A model follows what succeeded.  Meanwhile endpoints come and
 * go, messages fly, and dumps are begun and left.
 *
 * Facts: each request gets the answers it must get and no more; errors have an
 * errno of a short list and a text; rails, FEPs, jobs and secure domains are those
 * of the model; all of them can be deleted.  The first violation ends the program
 * with 1.
 *
 * It wants a namespace with nothing configured, lo, r0 and r1; fuzz.h has its
 * environment.  Netlink answers before send() returns, so that nothing here
 * ever waits; only of pings it tells later what became of them, each once, and
 * of the last ones when their FEPs are deleted.  Level: test.
 */
#include <errno.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/uet.h>

#include "fuzz_genl.h"

#define BATCH_MAX	6
#define SOCKETS		6
#define KEYS_MAX	2048
#define KEY_BYTES	24
#define COMPARE_EVERY	256

/* ------------------------------------------------------ sending and reading */

static struct request batch[BATCH_MAX];
static unsigned int batch_nr;
static uint32_t batch_seq = 1;		/* of the first request */
static uint8_t datagram[BATCH_MAX * ITEMS_MAX * (ITEM_BYTES + 8)];
static unsigned long nr_requests, nr_done, nr_refused;
static unsigned long nr_made[4];	/* rails, FEPs, jobs, domains */
static unsigned long nr_pings, nr_outcomes;

static int open_netlink(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	int on = 1;

	if (fd < 0 || bind(fd, (void *)&addr, sizeof(addr)) ||
	    setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on)))
		fuzz_fail("cannot open netlink: %s", strerror(errno));
	return fd;
}

/* The datagram ends with a request whose length lies: no other is lost. */
static void send_batch(int fd)
{
	uint8_t *end = datagram;
	unsigned int i;

	for (i = 0; i < batch_nr; i++) {
		end = encode(&batch[i], end, batch_seq + i);
		if (batch[i].longer)
			batch_nr = i + 1;
	}
	nr_requests += batch_nr;
	if (send(fd, datagram, end - datagram, 0) != end - datagram)
		fuzz_fail("send: %s", strerror(errno));
}

static void see_error(struct request *req, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = NLMSG_DATA(nlh);
	const struct nlattr *nla = (const void *)(err + 1);
	size_t left = nlh->nlmsg_len - NLMSG_LENGTH(sizeof(*err));

	req->errors++;
	req->error = -err->error;
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	while (left >= NLA_HDRLEN && nla->nla_len <= left) {
		if (nla->nla_type == NLMSGERR_ATTR_MSG)
			snprintf(req->text, sizeof(req->text), "%s",
				 (const char *)(nla + 1));
		left -= NLA_ALIGN(nla->nla_len);
		nla = (const void *)((const char *)nla +
				     NLA_ALIGN(nla->nla_len));
	}
}

/* The outcome of a ping comes when it is known, be it long after the request. */
static bool is_outcome(const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *genl = NLMSG_DATA(nlh);

	return nlh->nlmsg_type == family && genl->cmd == UET_CMD_PING;
}

static void see(const struct nlmsghdr *nlh)
{
	uint32_t index = nlh->nlmsg_seq - batch_seq;
	struct request *req = &batch[index];

	if (is_outcome(nlh)) {
		nr_outcomes++;
		return;
	}
	if (index >= batch_nr) {
		/* The bytes left behind a length too short are a request, too. */
		if (!batch[batch_nr - 1].longer)
			fuzz_fail("an answer to nothing");
		return;
	}
	if (nlh->nlmsg_type == NLMSG_ERROR) {
		see_error(req, nlh);
	} else if (nlh->nlmsg_type == NLMSG_DONE) {
		req->dones++;
		req->error = -*(const int *)NLMSG_DATA(nlh);
	} else {
		req->objects++;
	}
}

/* All answers are there already; dumps go on with each look. */
static void read_answers(int fd, void (*also)(const struct nlmsghdr *nlh))
{
	static uint8_t buf[65536];
	const struct nlmsghdr *nlh;
	ssize_t left;

	while ((left = recv(fd, buf, sizeof(buf), MSG_DONTWAIT)) > 0) {
		for (nlh = (void *)buf; NLMSG_OK(nlh, left);
		     nlh = NLMSG_NEXT(nlh, left)) {
			see(nlh);
			if (also && nlh->nlmsg_type == family &&
			    !is_outcome(nlh))
				also(nlh);
		}
	}
	if (left < 0 && errno != EAGAIN)
		fuzz_fail("recv: %s", strerror(errno));
}

/* ------------------------------------------------------------------- model */

/* The letters of what can be made, in the order of nr_made. */
static const char letters[] = "rfjs";

static bool has_name(char letter)
{
	return letter == 'f' || letter == 's';
}

/* The expected objects: a letter and an ifindex, name or JobID. */
static char keys[KEYS_MAX][KEY_BYTES];
static unsigned int nr_keys, nr_seen;

static char *find_key(const char *key)
{
	unsigned int i;

	for (i = 0; i < nr_keys; i++)
		if (!strcmp(keys[i], key))
			return keys[i];
	return NULL;
}

/* The last attribute of a type in a message: the one that counts. */
static const struct nlattr *last_attr(const struct nlmsghdr *nlh, uint16_t type)
{
	const char *at = (const char *)nlh + NLMSG_LENGTH(GENL_HDRLEN);
	const char *end = (const char *)nlh + nlh->nlmsg_len;
	const struct nlattr *nla, *last = NULL;

	for (; end - at >= NLA_HDRLEN; at += NLA_ALIGN(nla->nla_len)) {
		nla = (const void *)at;
		if (nla->nla_len < NLA_HDRLEN || nla->nla_len > end - at)
			break;
		if ((nla->nla_type & NLA_TYPE_MASK) == type)
			last = nla;
	}
	return last;
}

static void key_of(char *key, char letter, const struct nlmsghdr *nlh,
		   uint16_t type)
{
	const struct nlattr *nla = last_attr(nlh, type);

	if (!nla)
		fuzz_fail("a success without a key, attribute %u", type);
	if (has_name(letter))
		snprintf(key, KEY_BYTES, "%c%.16s", letter,
			 (const char *)(nla + 1));
	else
		snprintf(key, KEY_BYTES, "%c%u", letter,
			 *(const uint32_t *)(nla + 1));
}

static void model_success(const struct request *req, const struct op *op)
{
	char key[KEY_BYTES], *old;

	if (!op->makes && !op->deletes)
		return;
	key_of(key, op->makes ? : op->deletes, req->nlh, op->key);
	old = find_key(key);
	if (!old == !op->makes)
		fuzz_fail("%s was %s", key, old ? "made twice" : "not there");
	if (op->deletes) {
		strcpy(old, keys[--nr_keys]);
		return;
	}
	if (nr_keys == KEYS_MAX)
		fuzz_fail("more than %d objects", KEYS_MAX);
	strcpy(keys[nr_keys++], key);
	nr_made[strchr(letters, op->makes) - letters]++;
}

/* The command that shows objects, by letter. */
static const uint8_t get_cmds[] = {
	UET_CMD_RAIL_GET, UET_CMD_FEP_GET, UET_CMD_JOB_GET, UET_CMD_SD_GET,
};

static void see_object(const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *genl = NLMSG_DATA(nlh);
	const struct op *op = op_of(genl->cmd);
	char key[KEY_BYTES];

	key_of(key, letters[(const uint8_t *)memchr(get_cmds, op->cmd,
						    NR(get_cmds)) - get_cmds],
	       nlh, op->key);
	if (!find_key(key))
		fuzz_fail("%s should not be there", key);
	nr_seen++;
}

/* The existing objects are exactly those that the successful requests have made. */
static void compare(int fd)
{
	unsigned int i;

	nr_seen = 0;
	for (i = 0; i < NR(get_cmds); i++) {
		batch[0] = (struct request){
			.type = family, .flags = NLM_F_REQUEST | NLM_F_DUMP,
			.cmd = get_cmds[i], .version = UET_FAMILY_VERSION,
		};
		batch_nr = 1;
		send_batch(fd);
		read_answers(fd, see_object);
		batch_seq += batch_nr;
	}
	if (nr_seen != nr_keys)
		fuzz_fail("%u objects, not %u", nr_seen, nr_keys);
}

/* -------------------------------------------------------------------- facts */

static bool is_dump(const struct request *req)
{
	return (req->flags & NLM_F_DUMP) == NLM_F_DUMP;
}

/* Generic netlink gives no text when it refuses before the family is asked. */
static bool may_be_silent(const struct request *req, const struct op *op)
{
	switch (req->error) {
	case ENOENT:
		return req->type != family;
	case EOPNOTSUPP:
		return !op || (is_dump(req) && !op->has_dump);
	case EINVAL:
		return req->nlh->nlmsg_len < NLMSG_LENGTH(GENL_HDRLEN);
	case EBUSY:
		return is_dump(req);
	default:
		return false;
	}
}

static bool is_sane(int error)
{
	static const uint8_t sane[] = {
		0, EINVAL, ERANGE, ENOENT, EEXIST, EBUSY, ENODEV, EOPNOTSUPP,
		EADDRNOTAVAIL, EADDRINUSE, EMSGSIZE, EAFNOSUPPORT,
		EHOSTUNREACH, ENETDOWN, ENOSPC, ENOKEY,
	};

	return error >= 0 && error < 256 && memchr(sane, error, sizeof(sane));
}

/* A message that claims to be longer than what is left ends a datagram. */
static bool was_read(const struct request *req)
{
	return req->longer <= 0 && req->nlh->nlmsg_len >= NLMSG_HDRLEN;
}

/* How many answers there are, and of which kind. */
static void judge_number(const struct request *req, const struct op *op)
{
	unsigned int ends = req->errors + req->dones;

	if (!was_read(req)) {
		if (ends || req->objects)
			fuzz_fail("an answer to half a message");
		return;
	}
	if (ends > 1)
		fuzz_fail("command %u: %u answers", req->cmd, ends);
	if ((req->flags & NLM_F_ACK) && !ends)
		fuzz_fail("command %u: no answer", req->cmd);
	if (req->errors && !req->error && !(req->flags & NLM_F_ACK))
		fuzz_fail("command %u: an ACK nobody wanted", req->cmd);
	if (req->dones && (!op || !op->has_dump || !is_dump(req)))
		fuzz_fail("command %u: a dump nobody wanted", req->cmd);
	if (req->dones && req->error)
		fuzz_fail("command %u: dump ends with errno %d", req->cmd,
			  req->error);
}

static void judge(const struct request *req)
{
	const struct op *op = op_of(req->cmd);

	judge_number(req, op);
	if (!is_sane(req->error))
		fuzz_fail("command %u: errno %d (%s)", req->cmd, req->error,
			  req->text);
	if (req->error && !req->text[0] && !may_be_silent(req, op))
		fuzz_fail("command %u: errno %d without a text", req->cmd,
			  req->error);
	nr_refused += !!req->error;
	if (req->error || req->type != family || !was_read(req) ||
	    !(req->flags & NLM_F_REQUEST))
		return;
	if (!op)
		fuzz_fail("command %u: succeeds, but there is none", req->cmd);
	nr_done++;
	nr_pings += op->cmd == UET_CMD_PING;
	model_success(req, op);
}

static void exchange(int fd)
{
	unsigned int i;

	send_batch(fd);
	read_answers(fd, NULL);
	for (i = 0; i < batch_nr; i++)
		judge(&batch[i]);
	batch_seq += batch_nr;
}

static void one_iteration(int fd)
{
	unsigned int i;

	batch_nr = fuzz_one_in(&rnd, 4) ? 1 + fuzz_below(&rnd, BATCH_MAX) : 1;
	for (i = 0; i < batch_nr; i++) {
		make_request(&batch[i]);
		if (fuzz_one_in(&rnd, 2))
			damage(&batch[i]);
	}
	exchange(fd);
}

/* --------------------------------------------------- what goes on meanwhile */

static int sockets[SOCKETS];

static struct sockaddr_uet endpoint(void)
{
	return (struct sockaddr_uet){
		.suet_family = AF_UET, .suet_version = UET_ADDR_VERSION,
		.suet_job = 1 + fuzz_below(&rnd, 6),
		.suet_pid = fuzz_below(&rnd, 4), .suet_ri = 1,
	};
}

/* Endpoints that come and go, and messages between them: none has to arrive. */
static void stir(void)
{
	int *fd = &sockets[fuzz_below(&rnd, SOCKETS)];
	int peer = sockets[fuzz_below(&rnd, SOCKETS)];
	struct sockaddr_uet addr = endpoint();
	socklen_t len = sizeof(addr);

	if (*fd < 0) {
		*fd = socket(AF_UET, SOCK_RDM, 0);
		if (*fd < 0)
			fuzz_fail("socket: %s", strerror(errno));
		addr.suet_fa4 = 0;
		inet_pton(AF_INET, addrs[fuzz_below(&rnd, 3)], &addr.suet_fa4);
		if (!bind(*fd, (void *)&addr, sizeof(addr)))
			return;
	} else if (!fuzz_one_in(&rnd, 4) && peer >= 0) {
		getsockname(peer, (void *)&addr, &len);
		sendto(*fd, datagram, fuzz_below(&rnd, 9000),
		       MSG_DONTWAIT | MSG_NOSIGNAL, (void *)&addr, len);
		return;
	}
	close(*fd);
	*fd = -1;
}

/* A dump that is read bit by bit between changes, and left before its end. */
static void dump_slowly(void)
{
	static int fd = -1;
	static uint8_t buf[4096];

	if (fd >= 0 && fuzz_one_in(&rnd, 4)) {
		close(fd);
		fd = -1;
	} else if (fd >= 0) {
		recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
	} else {
		struct request req;

		do
			make_request(&req);
		while (!is_dump(&req));
		fd = open_netlink();
		if (send(fd, buf, encode(&req, buf, 1) - buf, 0) < 0)
			fuzz_fail("send: %s", strerror(errno));
	}
}

/* -------------------------------------------------------------- the program */

static void family_seen(const struct nlmsghdr *nlh)
{
	const struct nlattr *nla = last_attr(nlh, CTRL_ATTR_FAMILY_ID);

	if (nla)
		family = *(const uint16_t *)(nla + 1);
}

static void find_family(int fd)
{
	batch[0] = (struct request){
		.type = GENL_ID_CTRL, .flags = NLM_F_REQUEST,
		.cmd = CTRL_CMD_GETFAMILY, .nr = 1,
		.items[0].type = CTRL_ATTR_FAMILY_NAME,
	};
	set_text(&batch[0].items[0], UET_FAMILY_NAME);
	batch_nr = 1;
	family = GENL_ID_CTRL;
	send_batch(fd);
	read_answers(fd, family_seen);
	batch_seq++;
	if (family == GENL_ID_CTRL)
		fuzz_fail("there is no family %s", UET_FAMILY_NAME);
}

static void delete_key(int fd, const char *key, const struct op *op)
{
	struct request *req = &batch[0];

	*req = (struct request){
		.type = family, .flags = NLM_F_REQUEST | NLM_F_ACK,
		.cmd = op->cmd, .nr = 1, .items[0].type = op->key,
	};
	if (has_name(*key))
		set_text(&req->items[0], key + 1);
	else
		set_number(&req->items[0], strtoul(key + 1, NULL, 10), 4);
	batch_nr = 1;
	exchange(fd);
	if (req->error)
		fuzz_fail("%s cannot be deleted: %s", key, req->text);
}

/* Jobs first: they use FEPs, which use rails and domains. */
static void delete_all(int fd)
{
	static const uint8_t cmds[] = {
		UET_CMD_JOB_DEL, UET_CMD_FEP_DEL, UET_CMD_RAIL_DEL,
		UET_CMD_SD_DEL,
	};
	const struct op *op;
	unsigned int i, k;

	for (i = 0; i < NR(cmds); i++) {
		op = op_of(cmds[i]);
		for (k = nr_keys; k--; )
			if (*keys[k] == op->deletes)
				delete_key(fd, keys[k], op);
	}
}

int main(void)
{
	int fd, i;

	fuzz_begin("fuzz_genl");
	rnd = fuzz_rand(fuzz.seed);
	fd = open_netlink();
	find_family(fd);
	netdev[0] = if_nametoindex("lo");
	netdev[1] = if_nametoindex("r0");
	netdev[2] = if_nametoindex("r1");
	for (i = 0; i < SOCKETS; i++)
		sockets[i] = -1;
	while (fuzz_go_on()) {
		one_iteration(fd);
		if (fuzz_one_in(&rnd, 4))
			stir();
		if (fuzz_one_in(&rnd, 16))
			dump_slowly();
		if (!(fuzz.done % COMPARE_EVERY))
			compare(fd);
	}
	for (i = 0; i < SOCKETS; i++)
		close(sockets[i]);
	compare(fd);
	delete_all(fd);
	compare(fd);
	if (nr_outcomes != nr_pings)
		fuzz_fail("%lu outcomes of %lu pings", nr_outcomes, nr_pings);
	printf("requests=%lu succeeded=%lu refused=%lu rails=%lu feps=%lu jobs=%lu sds=%lu pings=%lu\n",
	       nr_requests, nr_done, nr_refused, nr_made[0], nr_made[1],
	       nr_made[2], nr_made[3], nr_pings);
	return 0;
}
