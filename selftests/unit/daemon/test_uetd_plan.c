// SPDX-License-Identifier: GPL-2.0
/*
 * The plan of uetd, by tables: what there is, made of one configuration, what is
 * wanted, which is another one, and the changes and waits between the two.  Each
 * plan is carried out on a model of the kernel, which refuses what the kernel
 * would, and must then be empty.  Random configurations besides.
 */
#include "utest.h"

#include "uetdplan.h"

TEST(plan__makes_and_deletes_in_order)
{
	static const struct row rows[] = {
		{ .name = "nothing", .has = "", .wanted = "", .ops = "" },
		{
			.name = "all is new", .has = "",
			.wanted = JOB FEP RAILS,
			.ops = "rail r0 add\nrail r1 add\nfep f add\njob 1 add\n",
		}, {
			.name = "all is there", .has = RAILS FEP JOB,
			.wanted = JOB FEP RAILS, .ops = "",
		}, {
			.name = "all goes", .has = RAILS FEP JOB, .wanted = "",
			.ops = "job 1 delete\nfep f delete\nrail eth0 delete\nrail eth1 delete\n",
		}, {
			.name = "a fep more", .has = RAILS FEP JOB,
			.wanted = RAILS FEP FEP_G JOB "[job 2]\nfeps=g f\n",
			.ops = "fep g add\njob 2 add\n",
		}, {
			.name = "a fep less", .has = RAILS FEP FEP_G JOB,
			.wanted = RAILS FEP JOB, .ops = "fep g delete\n",
		},
	};

	RUN(rows);
}

TEST(plan__changeable_settings_are_set_in_place)
{
	static const struct row rows[] = {
		{
			.name = "settings", .has = RAILS FEP JOB,
			.wanted = RAILS JOB FEP "window=512\nrto-init=5ms\ndscp-control=46\n",
			.ops = "fep f set dscp-control window rto-init\n",
		}, {
			.name = "headers", .use = ENDPOINTS,
			.has = RAILS FEP "dscp-retx=1\n" JOB,
			.wanted = RAILS JOB FEP "headers=optimized\nwindow=512\n",
			.ops = "fep f set dscp-retx headers window\n",
		}, {
			.name = "headers, back",
			.has = RAILS FEP "headers=optimized\n" JOB,
			.wanted = RAILS JOB FEP, .ops = "fep f set headers\n",
		}, {
			.name = "headers of a new fep", .has = RAILS,
			.wanted = RAILS FEP "headers=optimized\n",
			.ops = "fep f add\n",
		}, {
			.name = "back to the default",
			.has = RAILS JOB FEP "idle=1s\n",
			.wanted = RAILS JOB FEP, .ops = "fep f set idle\n",
		}, {
			.name = "of a fep in use", .use = ENDPOINTS,
			.has = RAILS FEP JOB,
			.wanted = RAILS JOB FEP "ack-per-pkt=yes\n",
			.ops = "fep f set ack-per-pkt\n",
		}, {
			.name = "retx and control follow request",
			.has = RAILS JOB FEP,
			.wanted = RAILS JOB FEP "dscp-request=10\n",
			.ops = "fep f set dscp-request dscp-retx dscp-control\n",
		}, {
			.name = "even if it has to be made again, later",
			.use = ENDPOINTS, .has = RAILS FEP JOB,
			.wanted = RAILS JOB FEP "mtu=1024\nwindow=128\n",
			.ops = "fep f set window\n",
			.waits = "fep f: job 1 has it, which is in use\n",
		},
	};

	RUN(rows);
}

TEST(plan__sets_ingress_of_a_rail_in_place)
{
	static const struct row rows[] = {
		{
			.name = "a new rail begins without", .has = "",
			.wanted = RAILS_INGRESS FEP,
			.ops = "rail r0 add\nrail r1 add\nrail r1 set ingress\nfep f add\n",
		}, {
			.name = "on, of a rail in use", .use = ENDPOINTS,
			.has = RAILS FEP JOB, .wanted = RAILS_INGRESS FEP JOB,
			.ops = "rail r1 set ingress\n",
		}, {
			.name = "off, beside a setting of its fep",
			.use = DESCRIPTORS, .has = RAILS_INGRESS FEP JOB,
			.wanted = RAILS FEP "window=512\n" JOB,
			.ops = "rail r1 set ingress\nfep f set window\n",
		}, {
			.name = "even if it has to be made again, later",
			.use = ENDPOINTS, .has = RAILS_INGRESS FEP JOB,
			.wanted = "[rail r0]\ninterface=eth0\nplane=0\n"
				"[rail r1]\ninterface=eth1\nplane=8\n" FEP JOB,
			.ops = "rail r1 set ingress\n",
			.waits = "rail eth1: fep f has it, which has to stay\n",
		}, {
			.name = "again, on one that is made again",
			.has = RAILS_INGRESS,
			.wanted = "[rail r0]\ninterface=eth0\nplane=0\n"
				"[rail r1]\ninterface=eth1\nplane=8\ningress=on\n",
			.ops = "rail eth1 delete\nrail r1 add\nrail r1 set ingress\n",
		}, {
			.name = "not on one that is made again without",
			.has = RAILS_INGRESS,
			.wanted = "[rail r0]\ninterface=eth0\nplane=0\n"
				"[rail r1]\ninterface=eth1\nplane=8\n",
			.ops = "rail eth1 delete\nrail r1 add\n",
		}, {
			.name = "not of a rail that is nobody's business",
			.is_by_hand = true, .has = RAILS_INGRESS,
			.wanted = "[uetd]\nforeign=keep\n"
				"[rail r0]\ninterface=eth0\nplane=0\n",
			.ops = "",
		}, {
			.name = "not of one that is not there",
			.has = RAILS, .wanted = RAILS_INGRESS,
			.without = UETDTEST_ETH1, .ops = "",
			.waits = "rail r1: there is no netdev named eth1\n",
		},
	};

	RUN(rows);
}

TEST(plan__fixed_settings_recreate_the_object)
{
	static const struct row rows[] = {
		{
			.name = "mtu of a fep", .has = RAILS FEP JOB,
			.wanted = RAILS JOB FEP "mtu=1024\n",
			.ops = "job 1 delete\nfep f delete\nfep f add\njob 1 add\n",
		}, {
			.name = "its encapsulation", .has = RAILS FEP,
			.wanted = RAILS FEP "encap=native\nproto=200\n",
			.ops = "fep f delete\nfep f add\n",
		}, {
			.name = "its protection", .has = RAILS FEP,
			.wanted = RAILS FEP "protect=none\n",
			.ops = "fep f delete\nfep f add\n",
		}, {
			.name = "its port", .has = RAILS FEP,
			.wanted = RAILS FEP "port=5000\n",
			.ops = "fep f delete\nfep f add\n",
		}, {
			.name = "its rails", .has = RAILS FEP,
			.wanted = RAILS "[fep f]\naddr=10.0.0.1\nrails=r0\n",
			.ops = "fep f delete\nfep f add\n",
		}, {
			.name = "its address, another family", .has = RAILS FEP,
			.wanted = RAILS "[fep f]\naddr=fd00::1\nrails=r0,r1\n",
			.ops = "fep f delete\nfep f add\n",
		}, {
			.name = "two swap addresses", .has = RAILS FEP FEP_G,
			.wanted = RAILS "[fep f]\naddr=10.0.0.2\nrails=r0,r1\n"
				"[fep g]\naddr=10.0.0.1\nrails=r1\n",
			.ops = "fep f delete\nfep g delete\nfep f add\nfep g add\n",
		}, {
			.name = "plane of a rail, and what is on it",
			.has = RAILS FEP FEP_G JOB,
			.wanted = "[rail r0]\ninterface=eth0\nplane=7\n"
				"[rail r1]\ninterface=eth1\nplane=1\n"
				FEP FEP_G JOB,
			.ops = "job 1 delete\nfep f delete\nrail eth0 delete\n"
				"rail r0 add\nfep f add\njob 1 add\n",
		}, {
			.name = "another name for a rail is no change",
			.has = RAILS FEP JOB,
			.wanted = "[rail a]\nmac=02:00:00:00:00:02\nplane=0\n"
				"[rail b]\naddress=10.65.0.0/16\nplane=1\n"
				"[fep f]\naddr=10.0.0.1\nrails=b,a\n" JOB,
			.ops = "",
		}, {
			.name = "a job", .has = RAILS FEP JOB,
			.wanted = RAILS FEP JOB "owner=5\ngroup=6\npids=1-9\nname=j\n",
			.ops = "job 1 delete\njob 1 add\n",
		}, {
			.name = "the feps of a job", .has = RAILS FEP FEP_G JOB,
			.wanted = RAILS FEP FEP_G "[job 1]\nfeps=g,f\n",
			.ops = "job 1 delete\njob 1 add\n",
		},
	};

	RUN(rows);
}

TEST(plan__objects_in_use_are_kept)
{
	static const struct row rows[] = {
		{
			.name = "a job with endpoints", .use = ENDPOINTS,
			.has = RAILS FEP JOB, .wanted = RAILS FEP, .ops = "",
			.waits = "job 1: it is in use: endpoints 3, descriptors 0\n",
		}, {
			.name = "a job with a descriptor", .use = DESCRIPTORS,
			.has = RAILS FEP JOB, .wanted = RAILS FEP JOB "owner=5\n",
			.ops = "",
			.waits = "job 1: it is in use: endpoints 0, descriptors 1\n",
		}, {
			.name = "all of it, but not the rest", .use = ENDPOINTS,
			.has = RAILS FEP FEP_G JOB "[job 2]\nfeps=f,g\n",
			.wanted = "",
			.ops = "job 2 delete\nfep g delete\n",
			.waits = "rail eth0: fep f has it, which has to stay\n"
				"rail eth1: fep f has it, which has to stay\n"
				"fep f: job 1 has it, which is in use\n"
				"job 1: it is in use: endpoints 3, descriptors 0\n",
		}, {
			.name = "an idle job stays with a fep that has to",
			.use = ENDPOINTS,
			.has = RAILS FEP JOB "[job 2]\nfeps=f\n",
			.wanted = RAILS FEP "mtu=1024\n" JOB "[job 2]\nfeps=f\n",
			.ops = "",
			.waits = "fep f: job 1 has it, which is in use\n",
		}, {
			.name = "a plane below a job in use", .use = ENDPOINTS,
			.has = RAILS FEP FEP_G JOB,
			.wanted = "[rail r0]\ninterface=eth0\nplane=0\n"
				"[rail r1]\ninterface=eth1\nplane=8\n"
				FEP FEP_G JOB,
			.ops = "",
			.waits = "rail eth1: fep f has it, which has to stay\n",
		}, {
			.name = "an address that is still in use",
			.use = ENDPOINTS, .has = RAILS FEP JOB,
			.wanted = RAILS "[fep g]\naddr=10.0.0.1\nrails=r0\n"
				"[job 2]\nfeps=g\n",
			.ops = "",
			.waits = "fep f: job 1 has it, which is in use\n"
				"job 1: it is in use: endpoints 3, descriptors 0\n"
				"fep g: fep f, which has to stay, has its address\n"
				"job 2: fep g is not there\n",
		}, {
			.name = "nor its own, for one of another that is in use",
			.use = ENDPOINTS, .has = RAILS FEP FEP_G JOB,
			.wanted = RAILS "[fep f]\naddr=10.0.0.2\nrails=r0,r1\n"
				"[fep g]\naddr=10.0.0.1\nrails=r1\n" JOB,
			.ops = "",
			.waits = "fep f: job 1 has it, which is in use\n"
				"fep g: fep f, which has to stay, has its address\n",
		},
	};

	RUN(rows);
}

TEST(plan__waits_for_netdevs)
{
	static const struct row rows[] = {
		{
			.name = "a rail is not there", .has = "",
			.wanted = RAILS FEP FEP_G JOB, .without = UETDTEST_ETH0,
			.ops = "rail r1 add\nfep g add\n",
			.waits = "rail r0: there is no netdev named eth0\n"
				"fep f: rail r0 is not there\n"
				"job 1: fep f is not there\n",
		}, {
			.name = "one rail is enough", .has = "",
			.wanted = RAILS FEP "rails-needed=any\n" JOB,
			.without = UETDTEST_ETH0,
			.ops = "rail r1 add\nfep f add\njob 1 add\n",
			.waits = "rail r0: there is no netdev named eth0\n"
				"fep f: rail r0 is not there\n",
		}, {
			.name = "a rail went away", .has = RAILS FEP JOB,
			.wanted = RAILS FEP JOB, .without = UETDTEST_ETH1,
			.ops = "",
			.waits = "rail r1: there is no netdev named eth1\n"
				"fep f: rail r1 is not there\n",
		}, {
			.name = "it came back after a fep was made without it",
			.has = RAILS "[fep f]\naddr=10.0.0.1\nrails=r0\n" JOB,
			.wanted = RAILS FEP "rails-needed=any\n" JOB,
			.ops = "job 1 delete\nfep f delete\nfep f add\njob 1 add\n",
		}, {
			.name = "while that fep is in use", .use = ENDPOINTS,
			.has = RAILS "[fep f]\naddr=10.0.0.1\nrails=r0\n" JOB,
			.wanted = RAILS FEP JOB, .ops = "",
			.waits = "fep f: job 1 has it, which is in use\n",
		}, {
			.name = "no netdev has the address", .has = "",
			.wanted = RAILS FEP, .without = UETDTEST_FA0,
			.ops = "rail r0 add\nrail r1 add\n",
			.waits = "fep f: no netdev has the address 10.0.0.1\n",
		}, {
			.name = "nor has it one that is to be made again",
			.has = RAILS FEP JOB, .wanted = RAILS JOB FEP "mtu=1024\n",
			.without = UETDTEST_FA0, .ops = "",
			.waits = "fep f: no netdev has the address 10.0.0.1\n",
		}, {
			.name = "a rail is too narrow", .has = "",
			.wanted = RAILS "[fep f]\naddr=fd00::1\nrails=r0\nmtu=8192\n",
			.ops = "rail r0 add\nrail r1 add\n",
			.waits = "fep f: rail r0, netdev eth0, has an MTU of 4500, it takes 8300\n",
		}, {
			.name = "a job that wants a fep that cannot be made stays",
			.has = RAILS FEP JOB,
			.wanted = RAILS FEP "[fep n]\naddr=10.9.9.9\nrails=r0\n"
				"[job 1]\nfeps=f,n\n",
			.ops = "",
			.waits = "fep n: no netdev has the address 10.9.9.9\n"
				"job 1: fep n is not there\n",
		}, {
			.name = "a fep waits for its new rail on the old one",
			.has = RAILS FEP,
			.wanted = "[rail x]\ninterface=eth7\nplane=0\n"
				"[fep f]\naddr=10.0.0.1\nrails=x\n",
			.ops = "",
			.waits = "rail x: there is no netdev named eth7\n"
				"fep f: rail x is not there\n"
				"rail eth0: fep f has it, which has to stay\n"
				"rail eth1: fep f has it, which has to stay\n",
		}, {
			.name = "several match", .has = "",
			.wanted = "[rail r]\naddress=fe80::/10\nplane=0\n",
			.ops = "",
			.waits = "rail r: there are several netdevs with an address in fe80::/10: eth0 and eth1\n",
		}, {
			.name = "two rails are one netdev", .has = "",
			.wanted = "[rail r]\ninterface=eth0\nplane=0\n"
				"[rail s]\naddress=10.64.0.1\nplane=1\n",
			.ops = "rail r add\n",
			.waits = "rail s: netdev eth0 is rail r already\n",
		},
	};

	RUN(rows);
}

TEST(plan__foreign_setting_keeps_objects)
{
	static const struct row rows[] = {
		{
			.name = "jobs", .is_by_hand = true, .has = RAILS FEP FEP_G JOB,
			.wanted = "[uetd]\nforeign=keep-jobs\n" RAILS FEP,
			.ops = "fep g delete\n",
		}, {
			.name = "and what they have", .is_by_hand = true, .has = RAILS FEP JOB,
			.wanted = "[uetd]\nforeign=keep-jobs\n",
			.ops = "",
			.waits = "rail eth0: fep f has it, which has to stay\n"
				"rail eth1: fep f has it, which has to stay\n"
				"fep f: job 1 has it, which has to stay\n",
		}, {
			.name = "everything", .is_by_hand = true, .has = RAILS FEP JOB,
			.wanted = "[uetd]\nforeign=keep\n", .ops = "",
		}, {
			.name = "everything, by default",
			.is_by_hand = true, .has = RAILS FEP JOB, .wanted = "",
			.ops = "",
		}, {
			.name = "nothing", .is_by_hand = true, .has = RAILS FEP JOB,
			.wanted = "[uetd]\nforeign=delete\n",
			.ops = "job 1 delete\nfep f delete\nrail eth0 delete\nrail eth1 delete\n",
		}, {
			.name = "not what files named before",
			.has = RAILS FEP JOB,
			.wanted = "[uetd]\nforeign=keep\n",
			.ops = "job 1 delete\nfep f delete\nrail eth0 delete\nrail eth1 delete\n",
		}, {
			.name = "nor jobs that files named before",
			.has = RAILS FEP JOB,
			.wanted = "[uetd]\nforeign=keep-jobs\n" RAILS FEP,
			.ops = "job 1 delete\n",
		}, {
			.name = "but not what it names", .is_by_hand = true, .has = RAILS FEP FEP_G,
			.wanted = "[uetd]\nforeign=keep\n" RAILS FEP "mtu=1024\n",
			.ops = "fep f delete\nfep f add\n",
		}, {
			.name = "a rail below a foreign fep", .is_by_hand = true, .has = RAILS FEP,
			.wanted = "[uetd]\nforeign=keep\n"
				"[rail r0]\ninterface=eth0\nplane=5\n",
			.ops = "",
			.waits = "rail eth0: fep f has it, which has to stay\n",
		},
	};

	RUN(rows);
}

TEST(plan__knows_link_local_addresses_by_their_rail)
{
	static const struct row rows[] = {
		{
			.name = "one address on two netdevs", .has = "",
			.wanted = RAILS "[fep f]\naddr=fe80::1\nrails=r0\n"
				"[fep g]\naddr=fe80::1\nrails=r1\n",
			.ops = "rail r0 add\nrail r1 add\nfep f add\nfep g add\n",
		}, {
			.name = "another rail is another address",
			.has = RAILS "[fep f]\naddr=fe80::1\nrails=r0\n",
			.wanted = RAILS "[fep f]\naddr=fe80::1\nrails=r1\n",
			.ops = "fep f delete\nfep f add\n",
		},
	};

	RUN(rows);
}

TEST(plan__rail_with_a_small_mtu_stays)
{
	char ops[512], waits[512];
	struct uetd_model kernel;
	struct uetd_links links;
	struct uetd_conf conf;
	struct uetd_plan plan;

	make_kernel(&kernel, RAILS FEP JOB);
	load(&conf, RAILS FEP "rails-needed=any\n" JOB);
	uetdtest_host(&links, 0);
	links.links[1].mtu = 1500;
	uetd_plan_make(&plan, &conf, &links, &kernel, UETDTEST_NOW);
	ops_text(ops, sizeof(ops), &plan);
	waits_text(waits, sizeof(waits), &plan);
	EXPECT_STREQ(ops, "");
	EXPECT_STREQ(waits,
		     "fep f: rail r0, netdev eth0, has an MTU of 1500, it takes 4184\n");
	uetd_plan_free(&plan);
	uetd_links_free(&links);
	uetd_conf_free(&conf);
	uetd_model_free(&kernel);
}

/* Which failures make which later changes pointless. */
TEST(plan__failed_changes_cancel_their_dependents)
{
	struct uetd_model kernel;
	struct uetd_links links;
	struct uetd_conf conf;
	struct uetd_plan plan;
	char needs[64] = "";
	size_t i, k, used = 0;

	make_kernel(&kernel, RAILS FEP FEP_G JOB "[job 2]\nfeps=g\n");
	load(&conf, "[rail r0]\ninterface=eth0\nplane=7\ningress=on\n"
	     "[rail r1]\ninterface=eth1\nplane=1\n" FEP FEP_G JOB
	     "[job 2]\nfeps=g\nname=x\n");
	uetdtest_host(&links, 0);
	uetd_plan_make(&plan, &conf, &links, &kernel, UETDTEST_NOW);
	/*
	 * 0 job 1 delete, 1 job 2 delete, 2 fep f delete, 3 rail eth0 delete,
	 * 4 rail r0 add, 5 rail r0 set, 6 fep f add, 7 job 1 add, 8 job 2 add
	 */
	EXPECT_EQ(plan.nr_ops, 9);
	for (i = 0; i < plan.nr_ops; i++) {
		for (k = 0; k < i; k++) {
			struct uetd_failed failed = { .marks.root = NULL };

			uetd_failed_add(&failed, &plan.ops[k]);
			if (uetd_failed_find(&failed, &plan.ops[i]))
				used += snprintf(needs + used,
						 sizeof(needs) - used,
						 "%zu<%zu ", k, i);
			uetd_failed_free(&failed);
		}
	}
	EXPECT_STREQ(needs, "0<2 2<3 3<4 4<5 2<6 4<6 0<7 6<7 1<8 ");
	uetd_plan_free(&plan);
	uetd_links_free(&links);
	uetd_conf_free(&conf);
	uetd_model_free(&kernel);
}

/* One of some lines. */
static const char *pick(const char *const *lines, size_t nr)
{
	return lines[utest_rand() % nr];
}

#define PICK(...) ({ \
	static const char *const _lines[] = { __VA_ARGS__ }; \
	pick(_lines, sizeof(_lines) / sizeof(_lines[0])); })

static void random_conf(struct uetd_conf *conf)
{
	bool is_swapped = utest_rand() % 2;
	const char *has_sd, *has_f, *has_g;
	char text[1024];

	has_sd = PICK("", "[sd s]\nsdi=7\n", "[sd s]\nsdi=7\nmode=direct\n");
	has_f = *has_sd ? PICK("", "[fep f]\nrails=r0\nsd=s\n",
			       "[fep f]\nrails=r0,r1\nwindow=128\n") :
		PICK("", "[fep f]\nrails=r0,r1\n", "[fep f]\nrails=r0\n",
		     "[fep f]\nrails=r1,r0\nmtu=1024\nrails-needed=any\n");
	has_g = PICK("", "[fep g]\nrails=r1\n",
		     "[fep g]\nrails=r0\nwindow=512\nheaders=optimized\n");
	snprintf(text, sizeof(text), "%s%s%s%s%s%s%s%s%s%s", has_sd,
		 PICK("", "[uetd]\nforeign=delete\n",
		      "[uetd]\nforeign=keep-jobs\n",
		      "[uetd]\nforeign=keep\n"),
		 PICK("[rail r0]\ninterface=eth0\nplane=0\n",
		      "[rail r0]\ninterface=eth0\nplane=2\n",
		      "[rail r0]\ninterface=eth0\nplane=0\ningress=on\n"),
		 PICK("[rail r1]\ninterface=eth1\nplane=1\n",
		      "[rail r1]\ninterface=eth1\nplane=3\ningress=on\n"),
		 has_f, !*has_f ? "" : is_swapped ? "addr=10.0.0.2\n" :
						   "addr=10.0.0.1\n",
		 has_g, !*has_g ? "" : is_swapped ? "addr=10.0.0.1\n" :
						   "addr=10.0.0.2\n",
		 !*has_f ? "" : PICK("", "[job 1]\nfeps=f\n",
				     "[job 1]\nfeps=f\nname=x\n"),
		 !*has_g ? "" : !*has_f ? PICK("", "[job 2]\nfeps=g\n") :
			     PICK("", "[job 2]\nfeps=g\n",
				  "[job 2]\nfeps=f,g\n"));
	load(conf, text);
}

static size_t plan_and_carry_out(struct uetd_model *kernel,
				 const struct uetd_conf *conf, int without,
				 size_t *nr_waits)
{
	struct uetd_links links;
	struct uetd_plan plan;
	size_t nr_ops;

	uetdtest_host(&links, without);
	uetd_plan_make(&plan, conf, &links, kernel, UETDTEST_NOW);
	EXPECT_TRUE(carry_out(kernel, &plan));
	nr_ops = plan.nr_ops;
	*nr_waits = plan.nr_waits;
	uetd_plan_free(&plan);
	uetd_links_free(&links);
	return nr_ops;
}

/* Job 1, which no file names, was made over the bus; @use as in a row. */
static void run_bus_row(enum uetd_bus_made made, enum use use,
			const char *wanted, const char *wanted_ops,
			const char *wanted_waits)
{
	char ops[2048], waits[2048];
	struct uetd_model kernel;
	struct uetd_links links;
	struct uetd_conf conf;
	struct uetd_plan plan;

	make_kernel(&kernel, RAILS FEP JOB);
	use_job(&kernel, 1, use);
	kernel.jobs[0].made = made;
	load(&conf, wanted);
	uetdtest_host(&links, 0);
	uetd_plan_make(&plan, &conf, &links, &kernel, UETDTEST_NOW);
	ops_text(ops, sizeof(ops), &plan);
	waits_text(waits, sizeof(waits), &plan);
	EXPECT_STREQ(ops, wanted_ops);
	EXPECT_STREQ(waits, wanted_waits);
	EXPECT_TRUE(carry_out(&kernel, &plan));
	uetd_plan_free(&plan);
	uetd_links_free(&links);
	uetd_conf_free(&conf);
	uetd_model_free(&kernel);
}

TEST(plan__jobs_of_the_bus_live_as_long_as_their_makers)
{
	run_bus_row(UETD_BUS_NOT, IDLE, RAILS FEP, "job 1 delete\n", "");
	run_bus_row(UETD_BUS_KEPT, IDLE, RAILS FEP, "", "");
	run_bus_row(UETD_BUS_KEPT, IDLE, RAILS, "",
		    "fep f: job 1 has it, which has to stay\n");
	run_bus_row(UETD_BUS_LEFT, IDLE, RAILS FEP, "job 1 delete\n", "");
	run_bus_row(UETD_BUS_LEFT, IDLE, "[uetd]\nforeign=keep\n" RAILS FEP,
		    "job 1 delete\n", "");
	run_bus_row(UETD_BUS_LEFT, DESCRIPTORS, RAILS FEP, "",
		    "job 1: its maker has left the bus, it is in use: endpoints 0, descriptors 1\n");
	/* A job that a file names belongs to the file. */
	run_bus_row(UETD_BUS_LEFT, IDLE, RAILS FEP JOB, "", "");
}

/*
 * From one random configuration to the next, with jobs in use and netdevs that
 * come and go: the kernel refuses nothing, what is in use is not touched, a
 * second plan is empty; and when nothing is in the way any more, nothing waits.
 */
TEST(plan__is_right_for_random_configurations)
{
	static const int without[] = { 0, 0, UETDTEST_ETH0, UETDTEST_ETH1 };
	struct uetd_model kernel = { .nr_rails = 0 };
	struct uetd_job before, *job;
	struct uetd_conf conf;
	size_t nr_waits, changed = 0;
	uint32_t id;
	int gone;
	int i;

	for (i = 0; i < 3000 && !utest.failures; i++) {
		gone = without[utest_rand() % 4];
		if (utest_rand() % 2)
			make_by_hand(&kernel);
		id = 1 + utest_rand() % 2;
		use_job(&kernel, id, utest_rand() % 3);
		job = uetd_model_job(&kernel, id);
		memset(&before, 0, sizeof(before));
		if (job)
			before = *job;
		if (gone)
			uetdtest_unplug(&kernel, gone);
		random_conf(&conf);
		changed += plan_and_carry_out(&kernel, &conf, gone, &nr_waits);
		EXPECT_EQ(plan_and_carry_out(&kernel, &conf, gone, &nr_waits),
			  0);
		if (before.endpoints || before.descriptors) {
			job = uetd_model_job(&kernel, id);
			EXPECT_TRUE(job && !memcmp(job, &before, sizeof(before)));
		}
		use_job(&kernel, 1, IDLE);
		use_job(&kernel, 2, IDLE);
		plan_and_carry_out(&kernel, &conf, 0, &nr_waits);
		EXPECT_EQ(plan_and_carry_out(&kernel, &conf, 0, &nr_waits), 0);
		if (conf.foreign == UETD_FOREIGN_DELETE)
			EXPECT_EQ(nr_waits, 0);
		if (utest.failures)
			printf("# round %d\n", i);
		uetd_conf_free(&conf);
	}
	EXPECT_GT(changed, 3000);
	uetd_model_free(&kernel);
}
