// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of kernel/core/pds/pdc_sm.c: the printed state tables are the ones in
 * Documentation/spec/pdc-states.rst, the drawings of them are those beside it,
 * every cell does what it says, and nothing leads out of the end states.
 *
 * After an intended change, UTEST_WRITE=1 writes the tables anew.
 * Spec: UE 1.0.1 3.5.9.  Level: test of core L4.
 */
#include "pdctest.h"

static const char * const event_names[UET_PDC_EV_NR] = {
	[UET_PDC_EV_OPEN]		= "OPEN",
	[UET_PDC_EV_TX]			= "TX",
	[UET_PDC_EV_LEARN]		= "LEARN",
	[UET_PDC_EV_RX_PSN]		= "RX_PSN",
	[UET_PDC_EV_RX_NEW]		= "RX_NEW",
	[UET_PDC_EV_RX_NOSYN]		= "RX_NOSYN",
	[UET_PDC_EV_RX_CP]		= "RX_CP",
	[UET_PDC_EV_RX_ANSWER]		= "RX_ANSWER",
	[UET_PDC_EV_CLOSE]		= "CLOSE",
	[UET_PDC_EV_PEER_CLOSE]		= "PEER_CLOSE",
	[UET_PDC_EV_UNUSED]		= "UNUSED",
	[UET_PDC_EV_DRAINED]		= "DRAINED",
	[UET_PDC_EV_ALL_ACKED]		= "ALL_ACKED",
	[UET_PDC_EV_CLOSE_ACKED]	= "CLOSE_ACKED",
	[UET_PDC_EV_CLOSE_CMD]		= "CLOSE_CMD",
	[UET_PDC_EV_CLOSE_BUSY]		= "CLOSE_BUSY",
	[UET_PDC_EV_CLOSE_TIME]		= "CLOSE_TIME",
	[UET_PDC_EV_FATAL]		= "FATAL",
	[UET_PDC_EV_OPEN_PENDING]	= "OPEN_PENDING",
	[UET_PDC_EV_STARTED]		= "STARTED",
	[UET_PDC_EV_NEW_TIME]		= "NEW_TIME",
};

static const char * const act_names[UET_PDC_ACT_NR] = {
	[UET_PDC_ACT_ILLEGAL]		= "illegal",
	[UET_PDC_ACT_NONE]		= "none",
	[UET_PDC_ACT_LATE_CLOSE]	= "late-close",
	[UET_PDC_ACT_CLOSE_COMMAND]	= "close-command",
	[UET_PDC_ACT_CLOSE_REQUEST]	= "close-request",
	[UET_PDC_ACT_FINISH]		= "finish",
	[UET_PDC_ACT_FAIL]		= "fail",
	[UET_PDC_ACT_FAIL_NACK]		= "fail-nack",
	[UET_PDC_ACT_WAIT_START]	= "wait-start",
};

#define DOC	"Documentation/spec/pdc-states.rst"
#define MARK	".. Tables below this line are written by test_pdc_sm.\n"

static char text[32768];
static size_t text_len;

static void say(const char *what)
{
	size_t n = strlen(what);

	if (text_len + n < sizeof(text)) {
		memcpy(text + text_len, what, n + 1);
		text_len += n;
	}
}

static void say_padded(const char *what, int width)
{
	char buf[64];

	snprintf(buf, sizeof(buf), "%-*s ", width, what);
	say(buf);
}

static void say_rule(void)
{
	say("===============  ============  ===============  =============\n");
}

static void print_table(enum uet_pdc_role role)
{
	const char *title = role == UET_PDC_INITIATOR ? "Initiator" : "Target";
	const struct uet_pdc_tr *tr;
	u32 st, ev, i;

	say("\n");
	say(title);
	say("\n");
	for (i = 0; i < strlen(title); i++)
		say("-");
	say("\n\n");
	say_rule();
	say("state            event         next state       action\n");
	say_rule();
	for (st = 0; st < UET_PDC_ST_NR; st++)
		for (ev = 0; ev < UET_PDC_EV_NR; ev++) {
			tr = uet_pdc_transition(role, st, ev);
			if (!tr->act)
				continue;
			say_padded(uet_pdc_state_name(st), 16);
			say_padded(event_names[ev], 13);
			say_padded(uet_pdc_state_name(tr->next), 16);
			say(act_names[tr->act]);
			say("\n");
		}
	say_rule();
}

static void print_tables(void)
{
	text_len = 0;
	print_table(UET_PDC_INITIATOR);
	print_table(UET_PDC_TARGET);
}

static char doc[65536];

/* The file, and where its tables begin; NULL if it is not there. */
static char *read_doc(void)
{
	FILE *f = fopen(DOC, "r");
	size_t n;
	char *at;

	if (!f)
		return NULL;
	n = fread(doc, 1, sizeof(doc) - 1, f);
	fclose(f);
	doc[n] = '\0';
	at = strstr(doc, MARK);
	return at ? at + strlen(MARK) : NULL;
}

static void write_doc(size_t keep)
{
	FILE *f = fopen(DOC, "w");

	if (!f)
		return;
	fwrite(doc, 1, keep, f);
	fputs(text, f);
	fclose(f);
}

TEST(pdc_sm__tables_are_the_documented_ones)
{
	char *tables = read_doc();

	ASSERT_TRUE(tables);
	print_tables();
	if (getenv("UTEST_WRITE"))
		write_doc(tables - doc);
	tables = read_doc();

	EXPECT_STREQ(tables, text);
}

/* Events that change nothing are left out of the drawing: the table has them. */
static bool is_drawn(u32 st, const struct uet_pdc_tr *tr)
{
	return tr->act && (tr->next != st || tr->act != UET_PDC_ACT_NONE);
}

static void draw_edge(u32 st, u32 ev, const struct uet_pdc_tr *tr)
{
	char buf[128];

	snprintf(buf, sizeof(buf), "\t%s -> %s [label=\"%s%s%s\"]\n",
		 uet_pdc_state_name(st), uet_pdc_state_name(tr->next),
		 event_names[ev],
		 tr->act == UET_PDC_ACT_NONE ? "" : " / ",
		 tr->act == UET_PDC_ACT_NONE ? "" : act_names[tr->act]);
	say(buf);
}

static void draw(enum uet_pdc_role role)
{
	const struct uet_pdc_tr *tr;
	u32 st, ev;

	text_len = 0;
	say("// SPDX-License-Identifier: GPL-2.0\n");
	say("// Written by test_pdc_sm: dot -Tsvg draws it.\n");
	say(role == UET_PDC_INITIATOR ? "digraph initiator {\n" :
					"digraph target {\n");
	say("\tnode [shape=box]\n");
	for (st = 0; st < UET_PDC_ST_NR; st++)
		for (ev = 0; ev < UET_PDC_EV_NR; ev++) {
			tr = uet_pdc_transition(role, st, ev);
			if (is_drawn(st, tr))
				draw_edge(st, ev, tr);
		}
	say("}\n");
}

static void expect_drawing(enum uet_pdc_role role, const char *path)
{
	size_t n = 0;
	FILE *f;

	draw(role);
	if (getenv("UTEST_WRITE")) {
		f = fopen(path, "w");
		ASSERT_TRUE(f);
		fputs(text, f);
		fclose(f);
	}
	f = fopen(path, "r");
	ASSERT_TRUE(f);
	n = fread(doc, 1, sizeof(doc) - 1, f);
	fclose(f);
	doc[n] = '\0';
	EXPECT_STREQ(doc, text);
}

TEST(pdc_sm__drawings_are_the_documented_ones)
{
	expect_drawing(UET_PDC_INITIATOR,
		       "Documentation/spec/pdc-initiator.dot");
	expect_drawing(UET_PDC_TARGET, "Documentation/spec/pdc-target.dot");
}

/* Every state of a role but the ends can be asked to close, and can fail. */
TEST(pdc_sm__every_living_state_can_end)
{
	u32 st, role;

	for (role = UET_PDC_INITIATOR; role <= UET_PDC_TARGET; role++)
		for (st = UET_PDC_ST_CLOSED + 1; st < UET_PDC_ST_NR; st++) {
			if (!uet_pdc_transition(role, st, UET_PDC_EV_FATAL)->act)
				continue;
			EXPECT_EQ(uet_pdc_transition(role, st,
						     UET_PDC_EV_FATAL)->next,
				  UET_PDC_ST_ERROR);
			EXPECT_TRUE(uet_pdc_transition(role, st,
						       UET_PDC_EV_CLOSE)->act);
		}
}

TEST(pdc_transition__empty_cells_are_illegal)
{
	EXPECT_EQ(uet_pdc_transition(UET_PDC_INITIATOR, UET_PDC_ST_SYN_SENT,
				     UET_PDC_EV_RX_PSN)->act,
		  UET_PDC_ACT_ILLEGAL);
	EXPECT_EQ(uet_pdc_transition(UET_PDC_TARGET, UET_PDC_ST_ESTABLISHED,
				     UET_PDC_EV_LEARN)->act,
		  UET_PDC_ACT_ILLEGAL);
}

/* States of the other role are unreachable: no cell of theirs is filled. */
TEST(pdc_transition__roles_do_not_mix)
{
	static const enum uet_pdc_state targets[] = {
		UET_PDC_ST_NEW_ESTABLISHED, UET_PDC_ST_CLOSE_WAIT,
		UET_PDC_ST_PENDING,
	};
	static const enum uet_pdc_state initiators[] = {
		UET_PDC_ST_SYN_SENT, UET_PDC_ST_QUIESCE, UET_PDC_ST_ACK_WAIT,
		UET_PDC_ST_CLOSE_ACK_WAIT,
	};
	u32 i, ev;

	for (ev = 0; ev < UET_PDC_EV_NR; ev++) {
		for (i = 0; i < ARRAY_SIZE(targets); i++)
			EXPECT_EQ(uet_pdc_transition(UET_PDC_INITIATOR,
						     targets[i], ev)->act, 0);
		for (i = 0; i < ARRAY_SIZE(initiators); i++)
			EXPECT_EQ(uet_pdc_transition(UET_PDC_TARGET,
						     initiators[i], ev)->act, 0);
	}
}

/* Force every cell upon a fresh PDC and see that only legal ones change it. */
static void try_cell(enum uet_pdc_role role, u32 state, u32 event)
{
	const struct uet_pdc_tr *tr = uet_pdc_transition(role, state, event);
	struct pdctest *t = malloc(sizeof(*t));

	pt_open(t, role);
	t->pdc->state = state;
	EXPECT_EQ(uet_pdc_allows(t->pdc, event), tr->act != 0);
	EXPECT_EQ(uet_pdc_event(t->pdc, event, t->now), tr->act != 0);
	EXPECT_EQ(t->pdc->state, tr->act ? tr->next : state);

	switch (tr->act) {
	case UET_PDC_ACT_LATE_CLOSE:
		EXPECT_TRUE(t->pdc->close_wanted);
		break;
	case UET_PDC_ACT_CLOSE_COMMAND:
		EXPECT_EQ(uet_pdc_slot(t->pdc, START)->kind,
			  UET_CP_CLOSE_COMMAND);
		break;
	case UET_PDC_ACT_CLOSE_REQUEST:
		EXPECT_EQ(uet_pdc_slot(t->pdc, START)->kind,
			  UET_CP_CLOSE_REQUEST);
		EXPECT_EQ(t->pdc->close_at,
			  t->now + uet_pdc_cfg_default.close_req_ns);
		break;
	case UET_PDC_ACT_FAIL_NACK:
		EXPECT_EQ(t->pdc->rx.nr_nacks, 1);
		EXPECT_EQ(t->pdc->rx.answers->nacks[0].code, UET_NACK_CLOSING_IN_ERR);
		EXPECT_EQ(uet_pdc_deadline(t->pdc), UET_NEVER);
		break;
	case UET_PDC_ACT_WAIT_START:
		EXPECT_EQ(t->pdc->new_at,
			  t->now + uet_pdc_cfg_default.new_pdc_ns);
		break;
	case UET_PDC_ACT_FAIL:
	case UET_PDC_ACT_FINISH:
		EXPECT_EQ(uet_pdc_deadline(t->pdc), UET_NEVER);
		break;
	default:
		break;
	}
	pt_close(t);
	free(t);
}

TEST(pdc_event__every_cell_has_its_outcome)
{
	u32 st, ev;

	for (st = 0; st < UET_PDC_ST_NR; st++)
		for (ev = 0; ev < UET_PDC_EV_NR; ev++) {
			try_cell(UET_PDC_INITIATOR, st, ev);
			try_cell(UET_PDC_TARGET, st, ev);
		}
}

/* But for the opening itself, nothing happens to a PDC that is over. */
TEST(pdc_event__the_ends_are_ends)
{
	u32 ev;

	for (ev = UET_PDC_EV_OPEN + 1; ev < UET_PDC_EV_NR; ev++) {
		if (ev == UET_PDC_EV_OPEN_PENDING)
			continue;
		EXPECT_EQ(uet_pdc_transition(UET_PDC_INITIATOR,
					     UET_PDC_ST_CLOSED, ev)->act, 0);
		EXPECT_EQ(uet_pdc_transition(UET_PDC_TARGET,
					     UET_PDC_ST_CLOSED, ev)->act, 0);
	}
	for (ev = 0; ev < UET_PDC_EV_NR; ev++) {
		EXPECT_EQ(uet_pdc_transition(UET_PDC_INITIATOR,
					     UET_PDC_ST_ERROR, ev)->act, 0);
		EXPECT_EQ(uet_pdc_transition(UET_PDC_TARGET,
					     UET_PDC_ST_ERROR, ev)->act, 0);
	}
}

TEST(pdc_names__cover_all_values_and_tolerate_others)
{
	u32 i;

	for (i = 0; i < UET_PDC_ST_NR; i++)
		EXPECT_TRUE(uet_pdc_state_name(i));
	for (i = 0; i < UET_PDC_EV_NR; i++)
		EXPECT_TRUE(event_names[i]);
	for (i = 0; i < UET_PDC_ACT_NR; i++)
		EXPECT_TRUE(act_names[i]);
	for (i = UET_PDC_OK; i <= UET_PDC_ERR_ABORT; i++)
		EXPECT_TRUE(uet_pdc_error_name(i));
	EXPECT_STREQ(uet_pdc_state_name(UET_PDC_ST_NR), "unknown");
	EXPECT_STREQ(uet_pdc_error_name(UET_PDC_ERR_LOCAL + 1), "unknown");
}

TEST(pdc_fail__keeps_the_first_error)
{
	struct pdctest t;

	pt_established(&t, 2);
	uet_pdc_fail(t.pdc, UET_PDC_ERR_NACK, UET_NACK_CLOSING, t.now);
	uet_pdc_fail(t.pdc, UET_PDC_ERR_TIMEOUT, 0, t.now);

	EXPECT_EQ(pt_info(&t).error, UET_PDC_ERR_NACK);
	pt_run(&t);
	EXPECT_EQ(t.nr_up, 2);
	EXPECT_EQ(t.up[0].kind, UET_UP_FAILED);
	EXPECT_EQ(t.up[0].error, UET_PDC_ERR_NACK);
	EXPECT_EQ(t.up[0].nack_code, UET_NACK_CLOSING);
	pt_close(&t);
}
