// SPDX-License-Identifier: GPL-2.0
/*
 * Each peer over each rail: what is lost, and why.  Probes by UET and by ICMP together
 * tell the cause; each finding has the numbers.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/uet_nl.h>

#include "check_probe.h"
#include "job_bus.h"

#define PATH_MAX_NR	512
#define PATH_FIRST	4	/* NO_OPs that find out whether there is an answer */
#define PATH_MORE	200	/* that measure loss, at most */
#define PATH_ALL_MORE	400	/* of all paths together */

/**
 * struct paths - all paths
 * @list: array
 * @nr: its length
 */
struct paths {
	struct uea_path list[PATH_MAX_NR];
	size_t nr;
};

static void add_path(struct uea_check *check, struct json_object *fep,
		     const char *peer, struct json_object *rail, void *arg)
{
	struct paths *paths = arg;
	struct uea_path *path;

	(void)check;
	if (paths->nr == PATH_MAX_NR)
		return;
	path = &paths->list[paths->nr++];
	path->fep = fep;
	path->peer = peer;
	path->ifindex = uea_number_of(rail, "ifindex");
	snprintf(path->dev, sizeof(path->dev), "%s", uea_text_of(rail, "dev"));
}

static bool is_sealed(const struct uea_path *path)
{
	return !strcmp(uea_text_of(path->fep, "protect"), "tss");
}

/* Whether the peer uses the CRC, and this FEP does not, or the reverse. */
static bool has_other_crc(struct uea_check *check, const struct uea_path *path)
{
	return !is_sealed(path) &&
	       !strcmp(uea_text_of(path->fep, "encap"), "udp") &&
	       uea_probe_crc(check->ctx, path,
			     strcmp(uea_text_of(path->fep, "protect"), "crc"));
}

static void tell_crc(struct uea_check *check, const struct uea_path *path)
{
	const char *name = uea_text_of(path->fep, "name");
	const char *here = uea_text_of(path->fep, "protect");
	const char *there = strcmp(here, "crc") ? "crc" : "none";
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];

	snprintf(object, sizeof(object), "fep %s", name);
	snprintf(fix, sizeof(fix),
		 "give %s and the FEP at %s the same protect", name,
		 path->peer);
	uea_found(check, UEA_ERROR, object, fix,
		  "it has protect %s, but the peer %s has protect %s: none of %u packets was answered, and those with protect %s were",
		  here, path->peer, there, path->sent, there);
}

static void tell_key(struct uea_check *check, const struct uea_path *path)
{
	const char *name = uea_text_of(path->fep, "sd");
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];

	snprintf(object, sizeof(object), "sd %s", name);
	snprintf(fix, sizeof(fix),
		 "ueadm sd show %s, here and at %s, and sha256sum of the key files",
		 name, path->peer);
	uea_found(check, UEA_ERROR, object, fix,
		  "the peer %s opens none of our packets: it has another key, or another number or epoch of the key; it answers ICMP, and none of %u sealed packets",
		  path->peer, path->sent);
}

static void tell_silent(struct uea_check *check, const struct uea_path *path)
{
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];

	snprintf(object, sizeof(object), "peer %s", path->peer);
	snprintf(fix, sizeof(fix), "ueadm fep show; ueadm check  (at %s)",
		 path->peer);
	uea_found(check, UEA_ERROR, object, fix,
		  "it answers ICMP over rail %s, but none of %u UET packets: it has no FEP with this address, or one with another encap, port or proto, or a firewall",
		  path->dev, path->sent);
}

static void tell_lost(struct uea_check *check, const struct uea_path *path)
{
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];

	snprintf(object, sizeof(object), "rail %s", path->dev);
	snprintf(fix, sizeof(fix),
		 "ip neigh show dev %1$s; ip -s link show dev %1$s; tc -s qdisc show dev %1$s; the same at %2$s, and the switch",
		 path->dev, path->peer);
	uea_found(check, UEA_ERROR, object, fix,
		  "all packets to %s are lost: none of %u UET packets and none of %u ICMP packets was answered",
		  path->peer, path->sent, path->icmp_sent);
}

static void tell_mtu(struct uea_check *check, const struct uea_path *path)
{
	unsigned int need = uea_number_of(path->fep, "need-mtu");
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];

	snprintf(object, sizeof(object), "rail %s", path->dev);
	snprintf(fix, sizeof(fix),
		 "ip link set dev NETDEV mtu %u  (at %s and in the switches)",
		 need, path->peer);
	uea_found(check, UEA_ERROR, object, fix,
		  "the MTU at %s or on the path to it is below %u: %u of %u short packets were answered, none of %u bytes",
		  path->peer, need, path->icmp_small, path->icmp_sent, need);
}

static void tell_loss(struct uea_check *check, const struct uea_path *path)
{
	unsigned int lost = path->retx + path->sent - path->answered;
	unsigned int all = path->sent + path->retx;
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];

	snprintf(object, sizeof(object), "rail %s", path->dev);
	snprintf(fix, sizeof(fix),
		 "ip -s link show dev %1$s; tc -s qdisc show dev %1$s; the same at %2$s, and the switch",
		 path->dev, path->peer);
	uea_found(check, UEA_WARNING, object, fix,
		  "about %u %% of the packets to %s are lost: %u of %u",
		  (100 * lost + all / 2) / all, path->peer, lost, all);
}

static void judge_dead(struct uea_check *check, const struct uea_path *path)
{
	if (!path->icmp_small)
		tell_lost(check, path);
	else if (is_sealed(path))
		tell_key(check, path);
	else if (has_other_crc(check, path))
		tell_crc(check, path);
	else
		tell_silent(check, path);
}

static void judge(struct uea_check *check, const struct uea_path *path)
{
	unsigned int lost = path->retx + path->sent - path->answered;

	if (!path->sent)
		return;
	if (!path->answered) {
		judge_dead(check, path);
		return;
	}
	if (path->icmp_small && !path->icmp_full)
		tell_mtu(check, path);
	/* One may be lost while an address is resolved. */
	if (lost > 1 && lost * 100 >= path->sent + path->retx)
		tell_loss(check, path);
}

/* Measure loss where there are answers; the rest would only fill the queues. */
static int measure(struct uea_check *check, struct paths *paths)
{
	struct paths *alive = calloc(1, sizeof(*alive));
	size_t each = PATH_ALL_MORE / paths->nr, i, k = 0;
	int status = UEA_OK;

	if (!alive)
		abort();
	for (i = 0; i < paths->nr; i++) {
		if (paths->list[i].answered)
			alive->list[alive->nr++] = paths->list[i];
	}
	if (alive->nr)
		status = uea_probe_uet(check->ctx, alive->list, alive->nr,
				       each > PATH_MORE ? PATH_MORE :
				       each < PATH_FIRST ? PATH_FIRST : each);
	for (i = 0; i < paths->nr; i++) {
		if (paths->list[i].answered)
			paths->list[i] = alive->list[k++];
	}
	free(alive);
	return status;
}

/**
 * uea_check_paths() - send packets to each peer over each rail
 * @check: run
 *
 * Return: UEA_OK, or another exit status with a message printed.
 */
int uea_check_paths(struct uea_check *check)
{
	struct paths *paths = calloc(1, sizeof(*paths));
	int status = UEA_OK;
	size_t i;

	if (!paths)
		abort();
	/* Probes need CAP_NET_ADMIN. */
	if (uea_is_admin())
		uea_check_each_path(check, add_path, paths);
	if (paths->nr)
		status = uea_probe_uet(check->ctx, paths->list, paths->nr,
				       PATH_FIRST);
	for (i = 0; i < paths->nr && !status; i++)
		uea_probe_icmp(&paths->list[i]);
	if (paths->nr && !status)
		status = measure(check, paths);
	for (i = 0; i < paths->nr && !status; i++)
		judge(check, &paths->list[i]);
	free(paths);
	return status;
}
