#include "rows/nested_type.h"

#include <stdlib.h>
#include <string.h>

NestedType *
nested_type_create(ColumnType type, int members)
{
	NestedType *made = calloc(1, sizeof(NestedType) + (size_t) members * sizeof(NestedMember));

	if (made == NULL)
		return NULL;
	made->type = type;
	made->delimiter = ',';
	made->members = members;
	for (int i = 0; i < members; i++)
		made->member[i].type = COLUMN_OTHER;
	return made;
}

void
nested_type_free(NestedType *type)
{
	if (type == NULL)
		return;
	for (int i = 0; i < type->members; i++)
	{
		free(type->member[i].name);
		nested_type_free(type->member[i].nested);
	}
	free(type);
}

/* False when out of memory: what was copied is freed with its owner. */
static bool
copy_member(NestedMember *to, const NestedMember *from)
{
	*to = *from;
	to->name = from->name == NULL ? NULL : strdup(from->name);
	to->nested = from->nested == NULL ? NULL : nested_type_copy(from->nested);
	return (to->name != NULL) == (from->name != NULL) &&
		   (to->nested != NULL) == (from->nested != NULL);
}

NestedType *
nested_type_copy(const NestedType *type)
{
	NestedType *copy = nested_type_create(type->type, type->members);

	if (copy == NULL)
		return NULL;
	copy->is_renumbered = type->is_renumbered;
	copy->delimiter = type->delimiter;
	for (int i = 0; i < type->members; i++)
	{
		if (copy_member(&copy->member[i], &type->member[i]))
			continue;
		nested_type_free(copy);
		return NULL;
	}
	return copy;
}

static bool
is_same_member(const NestedMember *one, const NestedMember *other)
{
	bool is_named = one->name != NULL && other->name != NULL;

	return one->type == other->type && nested_type_is_same(one->nested, other->nested) &&
		   (is_named ? strcmp(one->name, other->name) == 0 : one->name == other->name);
}

bool
nested_type_is_same(const NestedType *one, const NestedType *other)
{
	if (one == NULL || other == NULL)
		return one == other;
	if (one->type != other->type || one->members != other->members)
		return false;
	for (int i = 0; i < one->members; i++)
	{
		if (!is_same_member(&one->member[i], &other->member[i]))
			return false;
	}
	return true;
}

void
nested_type_renumber(NestedType *type, const NestedType *written)
{
	for (int i = 0; i < type->members; i++)
	{
		NestedMember *member = &type->member[i];
		unsigned written_oid = written->member[i].type_oid;

		member->written_oid = written_oid == member->type_oid ? 0 : written_oid;
		type->is_renumbered |= member->written_oid != 0;
		if (member->nested == NULL)
			continue;
		nested_type_renumber(member->nested, written->member[i].nested);
		type->is_renumbered |= member->nested->is_renumbered;
	}
}

size_t
nested_type_open_attributes(const NestedType *type)
{
	size_t most = 0;

	for (int i = 0; i < type->members; i++)
	{
		const NestedType *nested = type->member[i].nested;
		size_t open = nested == NULL ? 0 : nested_type_open_attributes(nested);

		if (open > most)
			most = open;
	}
	return most + (type->type == COLUMN_COMPOSITE ? (size_t) type->members : 0);
}

bool
nested_type_has(const NestedType *type, ColumnType member_type)
{
	for (int i = 0; i < type->members; i++)
	{
		const NestedMember *member = &type->member[i];

		if (member->type == member_type ||
			(member->nested != NULL && nested_type_has(member->nested, member_type)))
			return true;
	}
	return false;
}
