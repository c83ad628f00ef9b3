/*
 * extension_objects.h - finds what CREATE EXTENSION made, wherever its schema
 * is and whatever the search path.
 */
#ifndef TRANSFERBENCH_EXTENSION_OBJECTS_H
#define TRANSFERBENCH_EXTENSION_OBJECTS_H

/* Name of the extension's schema, in the current context. */
extern char *extension_schema_name(void);

/* A type of the extension by its name; raises 42704 when it is not there. */
extern Oid extension_type_oid(const char *name);

#endif
