/*
 * type_catalog.h - what the catalog says of types that are no built-in scalars: arrays and
 * composites and what they consist of, enums, and domains, which are what they are over.
 */
#ifndef TRANSFERBENCH_TYPE_CATALOG_H
#define TRANSFERBENCH_TYPE_CATALOG_H

#include "database/database.h"
#include "rows/row_type.h"

#include <stdbool.h>

/* Arrays and composites that are within each other, at most, and members of one column in all:
 * what goes beyond is of no known family. */
#define TYPE_CATALOG_MAX_DEPTH   16
#define TYPE_CATALOG_MAX_MEMBERS 4096

/*
 * Finds the families of those columns that are OTHER; a column whose OID is 0 is looked for by its
 * type's name. Columns stay OTHER of types that the server does not have, or that have a part whose
 * binary form is not known here (is_compound). One round trip for all columns, and none when there is no such
 * column; one more for each that is known by a name alone. False, with database->message, when the
 * catalog cannot be read or out of memory.
 */
extern bool type_catalog_describe(RowType *type, Database *database);

#endif
