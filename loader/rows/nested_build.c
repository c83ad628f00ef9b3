/* nested_build.c - the binary form while it is written; see nested_codec_internal.h. */
#include "rows/nested_codec_internal.h"
#include "rows/value_binary.h"

bool
nested_array_build_begin(NestedBuild *build, NestedArrayBuild *array, const NestedType *type,
						 int dimensions)
{
	*array = (NestedArrayBuild){.element = &type->member[0],
								.start = nested_writer_length(build->to),
								.dimensions = dimensions};
	if (dimensions > NESTED_MAX_DIMENSIONS)
		return nested_refuse(build, "an array has more than 6 dimensions");
	nested_writer_put(build->to, (uint32_t) dimensions);
	nested_writer_put(build->to, 0);
	nested_writer_put(build->to, array->element->type_oid);
	for (int i = 0; i < dimensions; i++)
	{
		array->lengths[i] = -1;
		array->lower_bounds[i] = 1;
		nested_writer_put(build->to, 0);
		nested_writer_put(build->to, 0);
	}
	return true;
}

bool
nested_array_build_row(NestedBuild *build, NestedArrayBuild *array, int dimension, int32_t length)
{
	if (array->lengths[dimension] < 0)
		array->lengths[dimension] = length;
	return array->lengths[dimension] == length ||
		   nested_refuse(build, "an array's rows are not of one length");
}

bool
nested_array_build_end(NestedBuild *build, NestedArrayBuild *array)
{
	size_t at = array->start + NESTED_ARRAY_HEAD;

	if (array->elements == 0)
	{
		nested_writer_cut(build->to, at);
		nested_writer_patch(build->to, array->start, 0);
		return true;
	}
	nested_writer_patch(build->to, array->start + 4, array->has_nulls);
	for (int i = 0; i < array->dimensions; i++, at += NESTED_DIMENSION)
	{
		if ((int64_t) array->lower_bounds[i] + array->lengths[i] > INT32_MAX)
			return nested_refuse(build, "an array's bounds are out of range");
		nested_writer_patch(build->to, at, (uint32_t) array->lengths[i]);
		nested_writer_patch(build->to, at + 4, (uint32_t) array->lower_bounds[i]);
	}
	return true;
}

void
nested_put_null(NestedBuild *build)
{
	nested_writer_put(build->to, (uint32_t) NESTED_NULL_LENGTH);
}

bool
nested_put_leaf(NestedBuild *build, const NestedMember *member, const Value *value)
{
	if (!value->is_null && !nested_has_good_characters(member->type, value))
		return nested_refuse(build, "a text within is no UTF-8, or holds a NUL character");
	return value_put_binary(&build->to->to, member->type, value) ||
		   nested_refuse(build, "a value within is out of range");
}
