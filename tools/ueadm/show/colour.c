// SPDX-License-Identifier: GPL-2.0
/*
 * Terminal colours: whether to use them, and which.  A table has the same
 * characters with and without colours.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ueadm.h"

static const char *const colour_codes[] = {
	[UEA_PLAIN] = NULL,
	[UEA_HEAD] = "\033[1m",
	[UEA_NAME] = "\033[36m",
	[UEA_ADDRESS] = "\033[35m",
	[UEA_GOOD] = "\033[32m",
	[UEA_BAD] = "\033[31m",
};

static bool is_colourful;

static bool is_wanted(void)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(no && *no) &&
	       term && strcmp(term, "dumb");
}

/**
 * uea_colour_init() - decide whether there are colours
 * @when: "auto", "always" or "never"
 *
 * Return: false if @when is none of them.
 */
bool uea_colour_init(const char *when)
{
	if (!strcmp(when, "auto"))
		is_colourful = is_wanted();
	else if (!strcmp(when, "always") || !strcmp(when, "never"))
		is_colourful = !strcmp(when, "always");
	else
		return false;
	return true;
}

/**
 * uea_colour_of() - the colour of a value
 * @column: where it stands
 * @text: the value
 *
 * Return: a colour that can be printed.
 */
enum uea_colour uea_colour_of(const struct uea_column *column,
			      const char *text)
{
	if (column->colour != UEA_STATE)
		return column->colour;
	/* In a list, an unusable element is followed by the reason. */
	return !strcmp(text, "no") || strchr(text, '(') ? UEA_BAD : UEA_GOOD;
}

/**
 * uea_colour_print() - print a cell
 * @colour: its colour
 * @text: text of the cell
 * @width: of the cell; negative: blanks stand behind the text, not in front
 */
void uea_colour_print(enum uea_colour colour, const char *text, int width)
{
	const char *code = is_colourful ? colour_codes[colour] : NULL;

	if (code)
		fputs(code, stdout);
	printf("%*s", width, text);
	if (code)
		fputs("\033[0m", stdout);
}
