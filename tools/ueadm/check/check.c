// SPDX-License-Identifier: GPL-2.0
/*
 * Diagnosis of common errors: the module, rails, FEPs and jobs here, the host
 * below them in check_*.c.  A finding names the object, the problem, and the
 * command that fixes it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/uet.h>
#include <linux/uet_nl.h>

#include "check.h"
#include "job/job_bus.h"

#define CHECK_MODULE	"/sys/module/uet"
#define CHECK_PEERS_MAX	256

static const char *const severity_names[] = {
	[UEA_ERROR] = "error",
	[UEA_WARNING] = "warning",
	[UEA_HINT] = "hint",
};

static const struct uea_param check_params[] = {
	{
		.word = "peer", .value = "FA[,FA...]", .arg = UEA_ARG_STRINGS,
		.attr = 1, .max = 64,
	},
};

/**
 * uea_found() - add a finding
 * @check: run
 * @severity: severity
 * @object: object with the problem
 * @fix: command that fixes the problem
 * @fmt: description
 */
void uea_found(struct uea_check *check, enum uea_weight severity,
	       const char *object, const char *fix, const char *fmt, ...)
{
	struct json_object *finding = json_object_new_object();
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	json_object_object_add(
		finding, "severity",
		json_object_new_string(severity_names[severity]));
	json_object_object_add(finding, "object",
			       json_object_new_string(object));
	json_object_object_add(finding, "wrong", json_object_new_string(text));
	json_object_object_add(finding, "do", json_object_new_string(fix));
	json_object_object_add(finding, "rank", json_object_new_int(check->rank));
	json_object_array_add(check->findings, finding);
	if (severity != UEA_HINT)
		check->nr_wrong++;
}

/**
 * uea_check_rail() - a rail by its netdev
 * @check: run
 * @dev: name of the netdev
 *
 * Return: the rail, or NULL.
 */
struct json_object *uea_check_rail(const struct uea_check *check,
				   const char *dev)
{
	struct json_object *rail;
	size_t i;

	for (i = 0; (rail = uea_nth(check->rails, i)); i++) {
		if (!strcmp(uea_text_of(rail, "dev"), dev))
			return rail;
	}
	return NULL;
}

/**
 * uea_check_fep() - a FEP by its name
 * @check: run
 * @name: of the FEP
 *
 * Return: the FEP, or NULL.
 */
struct json_object *uea_check_fep(const struct uea_check *check, const char *name)
{
	struct json_object *fep;
	size_t i;

	for (i = 0; (fep = uea_nth(check->feps, i)); i++) {
		if (!strcmp(uea_text_of(fep, "name"), name))
			return fep;
	}
	return NULL;
}

static void each_rail(struct uea_check *check, struct json_object *fep,
		      const char *peer, uea_path_fn fn, void *arg)
{
	const char *from = uea_text_of(fep, "addr");
	struct json_object *rail;
	size_t i;

	/* A FEP has peers of its own address family, other than itself. */
	if (!strchr(from, ':') != !strchr(peer, ':') || !strcmp(from, peer))
		return;
	for (i = 0; (rail = uea_each(fep, "rails", i)); i++) {
		if (!strcmp(uea_text_of(rail, "state"), "usable"))
			fn(check, fep, peer, rail, arg);
	}
}

/**
 * uea_check_each_path() - call a function for each path to each peer
 * @check: run
 * @fn: function
 * @arg: its last argument
 */
void uea_check_each_path(struct uea_check *check, uea_path_fn fn, void *arg)
{
	struct json_object *peer, *fep;
	size_t i;

	for (i = 0; (peer = uea_nth(check->peers, i)); i++) {
		fep = uea_check_fep(check, uea_text_of(peer, "fep"));
		if (fep)
			each_rail(check, fep, uea_text_of(peer, "addr"), fn, arg);
	}
}

/* ------------------------------------------------------------------ module */

static bool is_loaded(struct uea_check *check)
{
	if (!access(CHECK_MODULE, F_OK))
		return true;
	uea_found(check, UEA_ERROR, "module", "modprobe uet",
		  "the uet module is not loaded");
	return false;
}

static void check_family(struct uea_check *check)
{
	struct json_object *features;
	int family, fd;

	if (uea_get(check->ctx, &uea_features, &features)) {
		json_object_put(features);
		return;
	}
	family = uea_number_of(uea_nth(features, 0), "family");
	json_object_put(features);
	if (family != AF_UET)
		uea_found(check, UEA_HINT, "module",
			  "modprobe -r uet && modprobe uet",
			  "AF_UET is %d here, not %d: programs that do not read /proc/net/uet/features cannot find it",
			  family, AF_UET);
	fd = socket(family, SOCK_RDM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		uea_found(check, UEA_ERROR, "module",
			  "modprobe -r uet && modprobe uet",
			  "no socket of family %d can be made: %s", family,
			  strerror(errno));
	else
		close(fd);
}

/* ----------------------------------------------------------- configuration */

static bool is_used(struct json_object *users, const char *key,
		    const char *sub_key, const char *name)
{
	struct json_object *user, *one;
	const char *text;
	size_t i, j;

	for (i = 0; (user = uea_nth(users, i)); i++) {
		for (j = 0; (one = uea_each(user, key, j)); j++) {
			text = sub_key ? uea_text_of(one, sub_key) :
					 json_object_get_string(one);
			if (!strcmp(text, name))
				return true;
		}
	}
	return false;
}

static void check_rails(struct uea_check *check)
{
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];
	struct json_object *rail;
	const char *dev;
	size_t i;

	if (!uea_nth(check->rails, 0))
		uea_found(check, UEA_ERROR, "rails",
			  "ueadm rail add NETDEV plane 0",
			  "there are none: UET has no netdev to use");
	for (i = 0; (rail = uea_nth(check->rails, i)); i++) {
		dev = uea_text_of(rail, "dev");
		uea_check_master(check, rail);
		uea_check_link(check, rail);
		if (is_used(check->feps, "rails", "dev", dev))
			continue;
		snprintf(object, sizeof(object), "rail %s", dev);
		snprintf(fix, sizeof(fix),
			 "ueadm fep add NAME addr FA rails %s", dev);
		uea_found(check, UEA_WARNING, object, fix, "no FEP uses it");
	}
}

static void check_fep_rails(struct uea_check *check, struct json_object *fep,
			    const char *object)
{
	const char *name = uea_text_of(fep, "name"), *dev, *state;
	unsigned int need = uea_number_of(fep, "need-mtu");
	char fix[UEA_CHECK_TEXT], where[UEA_CHECK_TEXT];
	struct json_object *rail, *of;
	bool has_moved;
	size_t i;

	for (i = 0; (rail = uea_each(fep, "rails", i)); i++) {
		dev = uea_text_of(rail, "dev");
		state = uea_text_of(rail, "state");
		if (!strcmp(state, "gone")) {
			snprintf(fix, sizeof(fix), "ueadm fep del %s", name);
			has_moved = uea_netns_of(dev, where, sizeof(where));
			/* Its routes went with it, which is no cause. */
			uea_found(check, has_moved ? UEA_ERROR : UEA_WARNING,
				  object, fix,
				  "the netdev %s of one of its rails is gone%s%s; when it is back, delete the FEP and add it again",
				  dev, has_moved ? ", and there is one of this name in the namespace " : "",
				  has_moved ? where : "");
		}
		of = uea_check_rail(check, dev);
		if (!of || uea_number_of(of, "mtu") >= need)
			continue;
		snprintf(fix, sizeof(fix), "ip link set dev %s mtu %u", dev,
			 need);
		uea_found(check, UEA_ERROR, object, fix,
			  "rail %s has MTU %u, but packets with mtu %u take %u",
			  dev, (unsigned int)uea_number_of(of, "mtu"),
			  (unsigned int)uea_number_of(fep, "mtu"), need);
	}
}

static bool has_usable_rail(struct json_object *fep)
{
	struct json_object *rail;
	size_t i;

	for (i = 0; (rail = uea_each(fep, "rails", i)); i++) {
		if (!strcmp(uea_text_of(rail, "state"), "usable"))
			return true;
	}
	return false;
}

static void check_fep(struct uea_check *check, struct json_object *fep)
{
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];
	const char *name = uea_text_of(fep, "name");

	snprintf(object, sizeof(object), "fep %s", name);
	check_fep_rails(check, fep, object);
	if (!has_usable_rail(fep)) {
		snprintf(fix, sizeof(fix), "ueadm fep show %s", name);
		uea_found(check, UEA_ERROR, object, fix,
			  "none of its rails is usable: it sends nothing");
	}
	uea_check_addr(check, fep);
	uea_check_symmetry(check, fep);
	uea_check_filter(check, fep);
	uea_check_hash(check, fep);
	if (is_used(check->jobs, "feps", NULL, name))
		return;
	snprintf(fix, sizeof(fix), "ueadm job add ID feps %s", name);
	uea_found(check, UEA_WARNING, object, fix,
		  "no job has it: nobody can bind an endpoint");
}

static void check_feps(struct uea_check *check)
{
	struct json_object *fep;
	size_t i;

	for (i = 0; (fep = uea_nth(check->feps, i)); i++)
		check_fep(check, fep);
}

/* ------------------------------------------------------------------- peers */

static void add_peer(struct uea_check *check, const char *addr,
		     const char *fep)
{
	struct json_object *peer;
	size_t i;

	for (i = 0; (peer = uea_nth(check->peers, i)); i++) {
		if (!strcmp(uea_text_of(peer, "addr"), addr) &&
		    !strcmp(uea_text_of(peer, "fep"), fep))
			return;
	}
	if (i == CHECK_PEERS_MAX)
		return;
	peer = json_object_new_object();
	json_object_object_add(peer, "addr", json_object_new_string(addr));
	json_object_object_add(peer, "fep", json_object_new_string(fep));
	json_object_array_add(check->peers, peer);
}

/*
 * The peers given by the user, for every FEP, and the peers that have PDCs, which the
 * kernel shows only to an administrator.
 */
static int find_peers(struct uea_check *check, const struct nlmsghdr *args)
{
	struct json_object *pdcs, *one;
	const struct nlattr *attr;
	int status;
	size_t i;

	mnl_attr_for_each(attr, args, sizeof(struct genlmsghdr)) {
		for (i = 0; (one = uea_nth(check->feps, i)); i++)
			add_peer(check, mnl_attr_get_str(attr),
				 uea_text_of(one, "name"));
	}
	if (!uea_is_admin())
		return UEA_OK;
	status = uea_dump(check->ctx, &uea_pdc, &pdcs);
	for (i = 0; !status && (one = uea_nth(pdcs, i)); i++)
		add_peer(check, uea_text_of(one, "peer"),
			 uea_text_of(one, "fep"));
	json_object_put(pdcs);
	return status;
}

/* ----------------------------------------------------------------- the run */

static int place_of(struct json_object *finding)
{
	const char *severity = uea_text_of(finding, "severity");
	int i;

	for (i = UEA_ERROR; i < UEA_HINT; i++) {
		if (!strcmp(severity, severity_names[i]))
			break;
	}
	return i * (UEA_COUNT + 1) + uea_number_of(finding, "rank");
}

/* The worst first, of these the one with the best evidence; others keep their order. */
static void sort_findings(struct uea_check *check)
{
	struct json_object *sorted = json_object_new_array(), *finding;
	size_t i;
	int place;

	for (place = 0; place <= UEA_HINT * (UEA_COUNT + 1) + UEA_COUNT; place++) {
		for (i = 0; (finding = uea_nth(check->findings, i)); i++) {
			if (place_of(finding) == place)
				json_object_array_add(sorted,
						json_object_get(finding));
		}
	}
	for (i = 0; (finding = uea_nth(sorted, i)); i++)
		json_object_object_del(finding, "rank");
	json_object_put(check->findings);
	check->findings = sorted;
}

/* The first is the cause; the others may be what follows from it. */
static void print_findings(const struct uea_check *check)
{
	bool is_oneline = check->ctx->is_oneline;
	struct json_object *finding;
	const char *severity;
	size_t i;

	if (check->ctx->is_json) {
		uea_print_json(check->ctx, check->findings);
		return;
	}
	for (i = 0; (finding = uea_nth(check->findings, i)); i++) {
		severity = uea_text_of(finding, "severity");
		if (i && !is_oneline)
			fputs("  ", stdout);
		uea_colour_print(strcmp(severity, "error") ? UEA_PLAIN
							   : UEA_BAD,
				 severity, 0);
		printf(": %s: %s%s%s\n", uea_text_of(finding, "object"),
		       uea_text_of(finding, "wrong"),
		       is_oneline ? ": " : "\n\t",
		       uea_text_of(finding, "do"));
	}
	if (!check->nr_wrong)
		printf("nothing %sis wrong with %zu rails, %zu feps, %zu jobs\n",
		       i ? "else " : "",
		       json_object_array_length(check->rails),
		       json_object_array_length(check->feps),
		       json_object_array_length(check->jobs));
}

/* Read all objects of the module that the kernel shows to this user. */
static int read_all(struct uea_check *check)
{
	int status = uea_nl_open(check->ctx);

	if (!status)
		status = uea_dump(check->ctx, &uea_rail, &check->rails);
	if (!status)
		status = uea_dump(check->ctx, &uea_fep, &check->feps);
	if (!status)
		status = uea_dump(check->ctx, &uea_job, &check->jobs);
	if (!status && uea_is_admin())
		status = uea_dump(check->ctx, &uea_sd, &check->sds);
	return status;
}

/*
 * A second of the counters without the probes, which lead to drops themselves; then the
 * probes.  What the counters say is worth more if a probe does not explain it.
 */
static int look_at_traffic(struct uea_check *check)
{
	int status;

	uea_check_count_begin(check);
	if (uea_nth(check->peers, 0))
		uea_check_count_wait(check);
	check->rank = UEA_COUNT;
	status = uea_check_count(check);
	check->rank = UEA_PROBE;
	if (!status)
		status = uea_check_paths(check);
	check->rank = UEA_COUNT;
	if (!status)
		status = uea_check_refusals(check);
	if (!status && uea_is_admin())
		status = uea_check_congestion(check);
	uea_check_connections(check);
	return status;
}

static int look(struct uea_check *check, const struct nlmsghdr *args)
{
	int status;

	if (!is_loaded(check))
		return UEA_OK;
	status = read_all(check);
	if (!status)
		status = find_peers(check, args);
	if (status)
		return status;
	check_family(check);
	check_rails(check);
	check_feps(check);
	uea_check_sds(check);
	uea_check_port(check);
	uea_check_routes(check);
	uea_check_walls(check);
	status = look_at_traffic(check);
	uea_check_clock(check);
	return status;
}

static int check_args(const struct uea_ctx *ctx, const struct nlmsghdr *args)
{
	const struct nlattr *attr;
	struct in6_addr addr;
	const char *text;

	mnl_attr_for_each(attr, args, sizeof(struct genlmsghdr)) {
		text = mnl_attr_get_str(attr);
		if (inet_pton(AF_INET, text, &addr) != 1 &&
		    inet_pton(AF_INET6, text, &addr) != 1)
			return uea_usage(ctx, "peer must be an IPv4 or IPv6 address, not \"%s\"",
					 text);
	}
	return UEA_OK;
}

static int check_run(struct uea_ctx *ctx, const struct uea_object *object,
		     const struct uea_verb *verb, char **words)
{
	struct uea_check check = { .ctx = ctx };
	char buf[UEA_NL_BUF];
	struct nlmsghdr *args = uea_nl_request(ctx, buf, verb->cmd);
	int status = uea_args(ctx, words, args);

	(void)object;
	if (!status)
		status = check_args(ctx, args);
	if (status)
		return status;
	check.sds = uea_is_admin() ? NULL : json_object_new_array();
	check.peers = json_object_new_array();
	check.findings = json_object_new_array();
	status = look(&check, args);
	if (!status) {
		sort_findings(&check);
		print_findings(&check);
		status = check.nr_wrong ? UEA_FAILED : UEA_OK;
	}
	json_object_put(check.rails);
	json_object_put(check.feps);
	json_object_put(check.jobs);
	json_object_put(check.sds);
	json_object_put(check.peers);
	json_object_put(check.findings);
	json_object_put(check.counters);
	json_object_put(check.pdcs);
	json_object_put(check.traffic);
	return status;
}

static const struct uea_verb check_verbs[] = {
	{ .name = "check", .run = check_run, UEA_PARAMS(check_params) },
	{ .name = NULL },
};

const struct uea_object uea_check_object = {
	.name = "check",
	.verbs = check_verbs,
	.is_verb = true,
};
