/*
 * option_table.h - the options of a command as a table: read strictly, and told by --help from the
 * same table.
 *
 * Long options "--name VALUE" and "--name=VALUE", one-letter ones "-h VALUE" and "-hVALUE"; no
 * abbreviations; "--" ends the options. A refusal names the option and its value.
 */
#ifndef TRANSFERBENCH_OPTION_TABLE_H
#define TRANSFERBENCH_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum OptionKind
{
	OPTION_KIND_FLAG,    /* bool *: set to true */
	OPTION_KIND_CLEAR,   /* bool *: set to false */
	OPTION_KIND_TEXT,    /* const char **: the value as it stands, not empty */
	OPTION_KIND_COUNT,   /* int64_t *: option_count, within [minimum, maximum] */
	OPTION_KIND_BYTES,   /* int64_t *: option_bytes */
	OPTION_KIND_SECONDS, /* int64_t *, in ms: "5", "0.5", "250ms", "2min" */
	OPTION_KIND_CHOICE,  /* int *: the place of the value among `choices`, from 0 */
	OPTION_KIND_LIST,    /* OptionList *: texts, one more each time the option is given */
	OPTION_KIND_COUNTS,  /* OptionCounts *: counts parted by commas, each within the bounds */
	OPTION_KIND_CUSTOM,  /* void *: `take` reads the value */
	OPTION_KIND_HEADING, /* no option: `help` stands above those that follow */
} OptionKind;

typedef struct OptionList
{
	const char **text; /* [count], lent from argv */
	size_t count;
} OptionList;

typedef struct OptionCounts
{
	int64_t *value; /* [count] */
	size_t count;
} OptionCounts;

typedef struct OptionSpec
{
	OptionKind kind;
	const char *name; /* without its dashes; NULL when there is only a letter */
	char letter;      /* 0: none */
	void *target;
	int64_t minimum, maximum;   /* COUNT, BYTES, SECONDS (ms), COUNTS */
	const char *const *choices; /* CHOICE: ends with NULL */
	/* CUSTOM: false after a message; value is NULL when `argument` is */
	bool (*take)(void *target, const char *option, const char *value);
	const char *argument; /* its name in the help: "N", "FILE"; NULL for flags */
	const char *help;     /* a line; line breaks within are kept */
	bool *given;          /* set to true when the option is there; may be NULL */
} OptionSpec;

typedef struct OptionTable
{
	const char *usage; /* what stands above: "Usage: transferbench copy [OPTIONS]\n..." */
	const char *after; /* what stands below; may be NULL */
	const OptionSpec *const *groups; /* arrays that each end with {0}-kind name NULL letter 0 and no
	                                  * help; the list ends with NULL */
} OptionTable;

typedef enum OptionsResult
{
	OPTIONS_OK,
	OPTIONS_HELP,    /* --help was given and printed */
	OPTIONS_REFUSED, /* after a message */
} OptionsResult;

/* --help (-?) is understood by itself. No argument may be left over. */
extern OptionsResult option_table_read(const OptionTable *table, int argc, char **argv);
extern void option_list_free(OptionList *list);
extern void option_counts_free(OptionCounts *counts);

#endif
