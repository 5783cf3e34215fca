// SPDX-License-Identifier: GPL-2.0
/*
 * Routes of uetd, by a table: peers of a configuration, which netdev is down, and
 * the routes that there should be; then what it takes from one set to another.
 */
#include "utest.h"

#include "netlink/route.h"
#include "uetdtest.h"

#define RAILS "[rail r0]\ninterface=eth0\nplane=0\n" \
	      "[rail r1]\ninterface=eth1\nplane=1\n"
#define FEP "[fep f]\naddr=10.0.0.1\nrails=r0\n"
#define PEER_B "[peer b]\naddr=10.0.0.9\nvia=r0 10.64.0.9, r1 10.65.0.9\n"
#define PEER_C "[peer c]\naddr=fd00::9\nvia=r1 fd00:65::9\n"
#define PEER_US "[peer us]\naddr=10.0.0.1\nvia=r0 10.64.0.1\n"

/* Routes of @text on the host; netdev @down is not up, @without is not there. */
static void want(struct uetd_routes *routes, const char *text, int down,
		 int without, char *waits, size_t size)
{
	struct uetd_plan plan = { .nr_ops = 0 };
	struct uetdtest_log log;
	struct uetd_links links;
	struct uetd_conf conf;
	size_t i;

	if (!uetdtest_conf(&conf, text, strlen(text), &log)) {
		printf("Bail out! bad configuration in a test: %s\n", log.text);
		exit(1);
	}
	uetdtest_host(&links, without);
	for (i = 0; i < links.nr_links; i++)
		links.links[i].is_up = links.links[i].ifindex != down;
	uetd_route_want(routes, &plan, &conf, &links);
	*waits = 0;
	for (i = 0; i < plan.nr_waits; i++)
		snprintf(waits + strlen(waits), size - strlen(waits),
			 "%s: %s\n", plan.waits[i].object,
			 plan.waits[i].reason);
	uetd_plan_free(&plan);
	uetd_links_free(&links);
	uetd_conf_free(&conf);
}

static void routes_text(char *text, size_t size,
			const struct uetd_routes *routes)
{
	const struct uetd_route *route;
	char dst[64], via[64];
	unsigned int k;
	size_t i;

	*text = 0;
	for (i = 0; i < routes->nr; i++) {
		route = &routes->list[i];
		uetd_addr_text(dst, sizeof(dst), &route->dst);
		snprintf(text + strlen(text), size - strlen(text), "%s", dst);
		for (k = 0; k < route->nr_hops; k++) {
			uetd_addr_text(via, sizeof(via), &route->via[k]);
			snprintf(text + strlen(text), size - strlen(text),
				 " %d:%s", route->ifindex[k], via);
		}
		snprintf(text + strlen(text), size - strlen(text), "\n");
	}
}

struct row {
	const char *conf;
	int down;
	int without;
	const char *routes;
	const char *waits;
};

TEST(routes__lead_to_peers_over_rails_that_are_up)
{
	static const struct row rows[] = {
		{ RAILS FEP, 0, 0, "", "" },
		{ RAILS PEER_B, 0, 0,
		  "10.0.0.9 2:10.64.0.9 3:10.65.0.9\n", "" },
		{ RAILS PEER_B PEER_C, UETDTEST_ETH0, 0,
		  "10.0.0.9 3:10.65.0.9\nfd00::9 3:fd00:65::9\n", "" },
		{ RAILS PEER_B PEER_C, 0, UETDTEST_ETH1,
		  "10.0.0.9 2:10.64.0.9\n",
		  "peer c: none of its rails is there and up\n" },
		{ RAILS FEP PEER_US PEER_C, 0, 0,
		  "fd00::9 3:fd00:65::9\n", "" },
	};
	struct uetd_routes routes;
	char text[512], waits[512];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		want(&routes, rows[i].conf, rows[i].down, rows[i].without,
		     waits, sizeof(waits));
		routes_text(text, sizeof(text), &routes);
		EXPECT_STREQ(text, rows[i].routes);
		EXPECT_STREQ(waits, rows[i].waits);
		uetd_routes_free(&routes);
	}
}

/* One letter for each change. */
static void changes(char *text, const struct uetd_routes *wanted,
		    const struct uetd_routes *there)
{
	struct uetd_route_plan plan;
	size_t i;

	uetd_route_plan_make(&plan, wanted, there);
	for (i = 0; i < plan.nr; i++)
		text[i] = "-=+"[plan.ops[i].change];
	text[plan.nr] = 0;
	free(plan.ops);
}

TEST(route_plan__is_the_difference)
{
	struct uetd_routes none = { .nr = 0 }, both, one, turned;
	char text[8], waits[512];
	struct uetd_addr via;

	want(&both, RAILS PEER_B PEER_C, 0, 0, waits, sizeof(waits));
	want(&one, RAILS PEER_B, UETDTEST_ETH0, 0, waits, sizeof(waits));
	want(&turned, RAILS PEER_B PEER_C, 0, 0, waits, sizeof(waits));
	turned.list[0].ifindex[0] = UETDTEST_ETH1;
	turned.list[0].ifindex[1] = UETDTEST_ETH0;
	via = turned.list[0].via[0];
	turned.list[0].via[0] = turned.list[0].via[1];
	turned.list[0].via[1] = via;

	changes(text, &both, &none);
	EXPECT_STREQ(text, "++");
	changes(text, &both, &both);
	EXPECT_STREQ(text, "");
	changes(text, &both, &turned);
	EXPECT_STREQ(text, "");
	changes(text, &one, &both);
	EXPECT_STREQ(text, "-=");
	changes(text, &none, &one);
	EXPECT_STREQ(text, "-");
	uetd_routes_free(&both);
	uetd_routes_free(&one);
	uetd_routes_free(&turned);
}
