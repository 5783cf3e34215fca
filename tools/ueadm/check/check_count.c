// SPDX-License-Identifier: GPL-2.0
/*
 * Findings from counters: their change over a second, full receivers, and failures of the
 * past.
 */
#include <poll.h>
#include <string.h>

#include <linux/uet_nl.h>

#include "check_probe.h"
#include "job/job_bus.h"

#define COUNT_MS	1000
#define AGAIN_MIN	50	/* packets sent again that are worth a word */
#define AGAIN_PERCENT	2	/* of all packets */

static struct json_object *read_counters(struct uea_check *check)
{
	struct json_object *counters = NULL;

	if (uea_dump(check->ctx, &uea_stats, &counters)) {
		json_object_put(counters);
		return NULL;
	}
	return counters;
}

static uint64_t value_of(struct json_object *counters, const char *kind,
			 const char *name)
{
	struct json_object *one;
	size_t i;

	for (i = 0; counters && (one = uea_nth(counters, i)); i++) {
		if (!strcmp(uea_text_of(one, "kind"), kind) &&
		    !strcmp(uea_text_of(one, "name"), name))
			return uea_number_of(one, "value");
	}
	return 0;
}

/**
 * uea_check_change() - the change of a counter since the last reading
 * @check: run
 * @now: counters
 * @kind: "mib" or "drops"
 * @name: of the counter
 *
 * Return: the difference.
 */
uint64_t uea_check_change(const struct uea_check *check, struct json_object *now,
			  const char *kind, const char *name)
{
	return value_of(now, kind, name) - value_of(check->counters, kind, name);
}

#define QUOTAS	"the quota of its user namespace, or the share of one peer in the pool of the FEP, is used up"

/* Reasons that have a cause at a peer. */
static const struct {
	const char *drop;
	const char *cause;
	const char *fix;
} causes[] = {
	{ "crc", "a peer has protect none, or the network corrupts packets",
	  "ueadm fep show, here and at the peers" },
	{ "tss-auth", "a peer has another key",
	  "ueadm sd show, here and at the peers" },
	{ "tss-no-key", "a peer uses a key that is not set here",
	  "ueadm sd show, here and at the peers" },
	{ "tss-no-sd", "a peer has another secure domain",
	  "ueadm sd show, here and at the peers" },
	{ "tss-clear", "a peer has no secure domain",
	  "ueadm fep show, here and at the peers" },
	{ "tss-unsupported", "a peer has a secure domain, and its FEP here has none",
	  "ueadm fep show, here and at the peers" },
	{ "rail-not-ours", "packets come in on a netdev that is no rail of their FEP",
	  "ueadm fep show; ip route get ADDRESS" },
	{ "tx-too-big", "packets do not fit a rail", "ueadm fep show" },
	{ "tx-queue", "a queue of this host is full", "tc -s qdisc show" },
	{ "tx-refused", "a firewall of this host refuses packets",
	  "nft list ruleset" },
	{ UEA_CHECK_NO_PDC, "peers open more PDCs than this host gives them: " QUOTAS,
	  "sysctl net.uet.user_max_pdc_pages; parameter max_targets of the module; ueadm pdc show" },
	{ "ses-no-job", "a peer sends for a job that no FEP has here",
	  "ueadm job show, here and at the peers" },
};

static void check_drops(struct uea_check *check, struct json_object *now)
{
	char holders[2 * UEA_CHECK_TEXT];
	uint64_t change;
	size_t i;

	for (i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		change = uea_check_change(check, now, "drops", causes[i].drop);
		if (!change)
			continue;
		*holders = 0;
		if (!strcmp(causes[i].drop, UEA_CHECK_NO_PDC))
			uea_check_holders(check, holders, sizeof(holders));
		uea_found(check, UEA_WARNING, causes[i].drop, causes[i].fix,
			  "%s: %ju packets were dropped in the last seconds%s",
			  causes[i].cause, (uintmax_t)change, holders);
	}
}

/* An endpoint whose receive memory is more than half full. */
static bool is_full(struct json_object *ep)
{
	return uea_number_of(ep, "rmem") * 2 > uea_number_of(ep, "rcvbuf");
}

static void tell_slow(struct uea_check *check, struct json_object *ep,
		      uint64_t refused)
{
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];

	snprintf(object, sizeof(object), "ep %s job %u pid %u",
		 uea_text_of(ep, "fep"), (unsigned int)uea_number_of(ep, "job"),
		 (unsigned int)uea_number_of(ep, "pid"));
	snprintf(fix, sizeof(fix), "ueadm ep show; lsof | grep %u  (the program)",
		 (unsigned int)uea_number_of(ep, "inode"));
	uea_found(check, UEA_WARNING, object, fix,
		  "its program reads too slowly: %ju of %ju bytes of receive memory are full, and %ju requests of its peers were refused in the last seconds",
		  (uintmax_t)uea_number_of(ep, "rmem"),
		  (uintmax_t)uea_number_of(ep, "rcvbuf"), (uintmax_t)refused);
}

/* Programs of this host. */
static int check_readers(struct uea_check *check, struct json_object *now)
{
	uint64_t refused = uea_check_change(check, now, "mib", "msg-deferred");
	struct json_object *eps = NULL, *ep;
	int status = UEA_OK;
	size_t i;

	if (refused)
		status = uea_dump(check->ctx, &uea_ep, &eps);
	for (i = 0; eps && (ep = uea_nth(eps, i)); i++) {
		if (is_full(ep))
			tell_slow(check, ep, refused);
	}
	json_object_put(eps);
	return status;
}

static struct json_object *pdc_before(const struct uea_check *check,
				      struct json_object *pdc)
{
	struct json_object *one;
	size_t i;

	for (i = 0; check->pdcs && (one = uea_nth(check->pdcs, i)); i++) {
		if (uea_number_of(one, "pdcid") == uea_number_of(pdc, "pdcid") &&
		    !strcmp(uea_text_of(one, "fep"), uea_text_of(pdc, "fep")))
			return one;
	}
	return NULL;
}

static uint64_t pdc_change(struct json_object *before, struct json_object *pdc,
			   const char *key)
{
	return uea_number_of(json_object_object_get(pdc, "counters"), key) -
	       uea_number_of(json_object_object_get(before, "counters"), key);
}

/* A PDC that does not open, because the peer refuses it. */
static bool lacks_pdcs(struct json_object *pdc)
{
	return !uea_number_of(pdc, "peer-pdcid") &&
	       !strcmp(uea_nack_name(uea_number_of(pdc, "nack-code")),
		       "NO_PDC_AVAIL");
}

static void tell_quota(struct uea_check *check, struct json_object *pdc)
{
	char object[UEA_CHECK_TEXT], fix[2 * UEA_CHECK_TEXT];
	const char *peer = uea_text_of(pdc, "peer");

	snprintf(object, sizeof(object), "peer %s", peer);
	snprintf(fix, sizeof(fix),
		 "at %s: ueadm check; sysctl net.uet.user_max_pdc_pages, parameter max_targets of the module; here: ueadm pdc show, fewer endpoints",
		 peer);
	uea_found(check, UEA_ERROR, object, fix,
		  "it has no PDC left for fep %s, its quota is used up: it refused PDC %u %ju times (NACK NO_PDC_AVAIL)",
		  uea_text_of(pdc, "fep"),
		  (unsigned int)uea_number_of(pdc, "pdcid"),
		  (uintmax_t)uea_number_of(json_object_object_get(pdc, "counters"),
					   "rx-nack"));
}

/* A peer that has refused packets and accepted none. */
static void check_pdc(struct uea_check *check, struct json_object *pdc)
{
	struct json_object *before = pdc_before(check, pdc);
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];
	uint64_t refused;

	if (lacks_pdcs(pdc)) {
		tell_quota(check, pdc);
		return;
	}
	refused = before ? pdc_change(before, pdc, "rx-nack") : 0;
	if (!refused || pdc_change(before, pdc, "rx-ack"))
		return;
	snprintf(object, sizeof(object), "peer %s", uea_text_of(pdc, "peer"));
	snprintf(fix, sizeof(fix), "ueadm check; ueadm ep show  (at %s)",
		 uea_text_of(pdc, "peer"));
	uea_found(check, UEA_WARNING, object, fix,
		  "its program reads too slowly: it refused %ju packets of PDC %u of fep %s in the last second for lack of space, and accepted none",
		  (uintmax_t)refused, (unsigned int)uea_number_of(pdc, "pdcid"),
		  uea_text_of(pdc, "fep"));
}

static int check_pdcs(struct uea_check *check)
{
	struct json_object *pdcs = NULL, *pdc;
	int status = UEA_OK;
	size_t i;

	if (check->pdcs)
		status = uea_dump(check->ctx, &uea_pdc, &pdcs);
	for (i = 0; pdcs && (pdc = uea_nth(pdcs, i)); i++)
		check_pdc(check, pdc);
	json_object_put(pdcs);
	return status;
}

/* The PDC that failed last, and why. */
static void tell_last(struct uea_check *check, char *buf, size_t size)
{
	struct json_object *all = NULL, *last;
	size_t nr;

	*buf = 0;
	/* The kernel shows PDCs only to an administrator. */
	if (!uea_is_admin() || uea_dump(check->ctx, &uea_pdc_history, &all))
		goto out;
	nr = json_object_array_length(all);
	last = nr ? uea_nth(all, nr - 1) : NULL;
	if (last)
		snprintf(buf, size, "; the last one, of fep %s to %s: %s",
			 uea_text_of(last, "fep"), uea_text_of(last, "peer"),
			 uea_text_of(last, "error"));
out:
	json_object_put(all);
}

static void check_past(struct uea_check *check, struct json_object *now)
{
	uint64_t failed = value_of(now, "mib", "pdc-failed");
	uint64_t recent = uea_check_change(check, now, "mib", "pdc-failed");
	char last[UEA_CHECK_TEXT];

	if (!failed)
		return;
	tell_last(check, last, sizeof(last));
	if (recent)
		uea_found(check, UEA_ERROR, "pdcs", "ueadm pdc history",
			  "%ju PDCs have failed in the last seconds, %ju since the module was loaded%s",
			  (uintmax_t)recent, (uintmax_t)failed, last);
	else
		uea_found(check, UEA_HINT, "pdcs", "ueadm pdc history",
			  "%ju PDCs have failed since the module was loaded, none in the last seconds; %ju messages were lost with them or failed for another reason%s",
			  (uintmax_t)failed,
			  (uintmax_t)value_of(now, "mib", "msg-failed"), last);
}

/* ------------------------------------------------------- packets sent again */

/* Packets that a rail or a peer got, and those that were sent again. */
struct share {
	uint64_t again;
	uint64_t sent;
};

static bool is_much(const struct share *share)
{
	return share->again >= AGAIN_MIN &&
	       share->again * 100 >= share->sent * AGAIN_PERCENT;
}

static struct share share_since(struct json_object *now, struct json_object *before)
{
	return (struct share){
		.again = uea_number_of(now, "tx-retx") -
			 uea_number_of(before, "tx-retx"),
		.sent = uea_number_of(now, "tx-packets") -
			uea_number_of(before, "tx-packets"),
	};
}

static void tell_again(struct uea_check *check, const char *object,
		       const char *fix, struct json_object *now,
		       struct json_object *before, const char *beside)
{
	struct share recent = share_since(now, before), all = share_since(now, NULL);
	bool is_now = before && is_much(&recent);
	const struct share *share = is_now ? &recent : &all;

	if (is_much(share))
		uea_found(check, is_now ? UEA_WARNING : UEA_HINT, object, fix,
			  "%ju %% of its packets are sent again, %ju of %ju %s%s",
			  (uintmax_t)(100 * share->again / share->sent),
			  (uintmax_t)share->again, (uintmax_t)share->sent,
			  is_now ? "in the last seconds" : "in all",
			  beside);
}

/* The other rails, for comparison: what all of them lose is lost at a peer. */
static void list_others(struct json_object *rails, struct json_object *rail,
			char *buf, size_t size)
{
	struct json_object *other;
	struct share share;
	size_t i, used = 0;

	*buf = 0;
	for (i = 0; (other = uea_nth(rails, i)) && used < size; i++) {
		share = share_since(other, NULL);
		if (other != rail)
			used += snprintf(buf + used, size - used,
					 "; rail %s: %ju of %ju in all",
					 uea_text_of(other, "dev"),
					 (uintmax_t)share.again,
					 (uintmax_t)share.sent);
	}
}

static void check_rails_again(struct uea_check *check, struct json_object *rails)
{
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT], beside[2 * UEA_CHECK_TEXT];
	struct json_object *rail;
	const char *dev;
	size_t i;

	for (i = 0; (rail = uea_nth(rails, i)); i++) {
		dev = uea_text_of(rail, "dev");
		snprintf(object, sizeof(object), "rail %s", dev);
		snprintf(fix, sizeof(fix),
			 "ueadm top rail; tc -s qdisc show dev %1$s; ethtool %1$s; the rate of each port on the path",
			 dev);
		list_others(rails, rail, beside, sizeof(beside));
		tell_again(check, object, fix, rail, uea_check_rail(check, dev),
			   beside);
	}
}

static void check_peers_again(struct uea_check *check, struct json_object *traffic)
{
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];
	struct json_object *peer, *old;
	size_t i, k;

	for (i = 0; (peer = uea_nth(traffic, i)); i++) {
		for (k = 0; (old = uea_nth(check->traffic, k)); k++) {
			if (!strcmp(uea_text_of(old, "addr"), uea_text_of(peer, "addr")) &&
			    !strcmp(uea_text_of(old, "fep"), uea_text_of(peer, "fep")))
				break;
		}
		snprintf(object, sizeof(object), "peer %s", uea_text_of(peer, "addr"));
		snprintf(fix, sizeof(fix), "ueadm top peer; ueadm check peer %s",
			 uea_text_of(peer, "addr"));
		tell_again(check, object, fix, peer, old, "");
	}
}

static int check_again(struct uea_check *check)
{
	struct json_object *rails = NULL, *traffic = NULL;
	int status = uea_dump(check->ctx, &uea_rail, &rails);

	if (!status && check->traffic)
		status = uea_dump(check->ctx, &uea_peer, &traffic);
	if (!status) {
		check_rails_again(check, rails);
		check_peers_again(check, traffic);
	}
	json_object_put(rails);
	json_object_put(traffic);
	return status;
}

/**
 * uea_check_count_begin() - remember the counters
 * @check: run
 */
void uea_check_count_begin(struct uea_check *check)
{
	check->counters = read_counters(check);
	if (uea_is_admin() && uea_dump(check->ctx, &uea_pdc, &check->pdcs)) {
		json_object_put(check->pdcs);
		check->pdcs = NULL;
	}
	if (uea_is_admin() && uea_dump(check->ctx, &uea_peer, &check->traffic)) {
		json_object_put(check->traffic);
		check->traffic = NULL;
	}
	check->since = uea_probe_now();
}

/**
 * uea_check_count_wait() - let a second pass since uea_check_count_begin()
 * @check: run
 */
void uea_check_count_wait(struct uea_check *check)
{
	uint64_t ms = (uea_probe_now() - check->since) / 1000000;

	if (ms < COUNT_MS)
		poll(NULL, 0, COUNT_MS - ms);
}

/**
 * uea_check_count() - look at the counters and their change
 * @check: run
 *
 * Return: UEA_OK, or another exit status with a message printed.
 */
int uea_check_count(struct uea_check *check)
{
	struct json_object *now = read_counters(check);
	int status;

	if (!now)
		return UEA_FAILED;
	check_drops(check, now);
	status = check_readers(check, now);
	if (!status)
		status = check_pdcs(check);
	check_past(check, now);
	if (!status)
		status = check_again(check);
	json_object_put(check->counters);
	check->counters = now;
	return status;
}
