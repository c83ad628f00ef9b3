# Shapes of a JSON response: row arrays, lines and columns, whole or cut.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Utils;
use Test::More;

use TransferBench;

my $node = start_node('shapes');
my $server = start_http_server();
my $session = TransferBench::Session->new($node);

$session->value($_)
  for (
	'CREATE TABLE points (id bigint, x float8)',
	'CREATE TABLE texts (id bigint, x text)',
	'CREATE TABLE arrays (id int[], x float8)',
	'CREATE TABLE lists (x float8, id int[])');

sub fetch
{
	my ($body, $n, %options) = @_;
	my $table = delete $options{row_type} // 'points';

	return fetch_call(
		'rows, status, digest', $server->url('/json', body => $body, %options), $n,
		row_type => "'$table'",
		verify => 'true');
}

# rows, status and digest of VALUES
sub expected
{
	my ($values, $n) = @_;

	return $session->value(
		extract_call(
			'rows, status, digest',
			"SELECT * FROM ($values) AS v (id, x)",
			$n, verify => 'true'));
}

my $no_rows = expected("SELECT 1::bigint, 1.5::float8 LIMIT 0", 0);
my $one_row = expected("VALUES (1::bigint, 1.5::float8)", 1);
my $two_rows = expected("VALUES (1::bigint, 1.5::float8), (2, NULL)", 2);
like($two_rows, qr/^2\|ok\|-?\d+$/, 'two rows have a digest');

# --- the same rows in every shape --------------------------------------------------

my $lines = "{\"id\":1,\"x\":1.5}\n{\"id\":2,\"x\":null}";
my @shapes = (
	[ 'row array', '[{"id":1,"x":1.5},{"id":2,"x":null}]' ],
	[   'row array after a byte order mark',
		"\xef\xbb\xbf" . '[{"id":1,"x":1.5},{"id":2,"x":null}]' ],
	[ 'row array in white space', "\r\n\t [{\"id\":1,\"x\":1.5},\n{\"id\":2,\"x\":null}\n]\n\n" ],
	[ 'lines, the last one ended', "$lines\n" ],
	[ 'lines, the last one not ended', $lines ],
	[ 'lines after a byte order mark', "\xef\xbb\xbf$lines\n" ],
	[ 'lines ended by CR LF', $lines =~ s/\n/\r\n/r . "\r\n" ],
	[ 'lines ended by CR LF but for the last', $lines =~ s/\n/\r\n/r ],
	[   'lines with empty ones between and after',
		"\n{\"id\":1,\"x\":1.5}\n\n{\"id\":2,\"x\":null}\n\n\n" ],
	[ 'columns', '{"id":[1,2],"x":[1.5,null]}' ],
	[ 'columns in another order', '{"x":[1.5,null],"id":[1,2]}' ],
	[ 'columns in white space', "\n{ \"id\" : [ 1 , 2 ] ,\n \"x\" : [ 1.5 , null ] }\n" ],
	[ 'columns after a byte order mark', "\xef\xbb\xbf" . '{"id":[1,2],"x":[1.5,null]}' ],
	[ 'columns with NA for a missing number', '{"id":[1,2],"x":[1.5,"NA"]}' ],
	[ 'columns, one of them unknown', '{"id":[1,2],"y":["a","b"],"x":[1.5,null]}' ],
	[ 'columns with an escaped key', '{"\u0069d":[1,2],"x":[1.5,null]}' ]);

for my $case (@shapes)
{
	my ($name, $body) = @$case;
	succeeds($session, fetch($body, 2), $two_rows, $name);
}

my $ndjson = 'application/x-ndjson';
succeeds($session, fetch($lines, 2, type => $ndjson), $two_rows, 'lines by their media type');
succeeds(
	$session, fetch('{"id":1,"x":1.5}', 1, type => $ndjson),
	$one_row, 'one line by its media type');
succeeds(
	$session, fetch($shapes[0][1], 2, type => 'text/plain'),
	$two_rows, 'a row array under a type that does not say JSON');
succeeds($session, fetch($shapes[0][1], 2, type => ''), $two_rows, 'a row array without a type');

# --- no row, one row ---------------------------------------------------------------

for my $case (
	[ 'an empty array', '[]' ],
	[ 'an empty array in white space', " [\n] \n" ],
	[ 'columns without values', '{"id":[],"x":[]}' ],
	[ 'an empty body', '' ],
	[ 'nothing but line ends', "\n\r\n" ])
{
	my ($name, $body) = @$case;
	succeeds($session, fetch($body, 0), $no_rows, "$name is no row");
}
succeeds($session, fetch('[{"id":1,"x":1.5}]', 1), $one_row, 'an array of one row');
succeeds($session, fetch('{"id":[1],"x":[1.5]}', 1), $one_row, 'columns of one value');
succeeds($session, fetch('{"id":1,"x":1.5}', 1),
	$one_row, 'columns of one value, written as scalars');
succeeds(
	$session, fetch('{"id":[1],"x":1.5}', 1),
	$one_row, 'columns of one value, one written as a scalar');

# --- an object that holds arrays itself --------------------------------------------

succeeds(
	$session,
	fetch('{"id":[1,2],"x":1.5}', 1, row_type => 'arrays'),
	expected("VALUES ('{1,2}'::int[], 1.5::float8)", 1),
	'a row whose first column takes an array is no column object');
succeeds(
	$session,
	fetch("{\"id\":[1],\"x\":1.5}\n{\"id\":[],\"x\":2}\n", 2, row_type => 'arrays'),
	expected("VALUES ('{1}'::int[], 1.5::float8), ('{}', 2)", 2),
	'lines whose first column takes an array');
succeeds(
	$session,
	fetch('{"x":[1.5,2],"id":[[1],[2,3]]}', 2, row_type => 'lists'),
	expected("VALUES ('{1}'::int[], 1.5::float8), ('{2,3}', 2)", 2),
	'a column object with a column of arrays');

# --- NA ----------------------------------------------------------------------------

{
	my $result = $session->run(fetch('{"id":[1,2,3],"x":[1.5,"NA","NA"]}', 3));
	ok( (   grep {
					 $_->{message} . ($_->{detail} // '') =~ /\bNA\b/
				  && $_->{message} . ($_->{detail} // '') =~ /\b2\b/
			} @{ $result->{notices} }),
		'values read from NA are counted in a message') or diag($result->{errors});
}
succeeds(
	$session,
	fetch('{"id":[1,2],"x":["a","NA"]}', 2, row_type => 'texts'),
	expected("VALUES (1::bigint, 'a'), (2, 'NA')", 2),
	'NA in a text column is text');
fails_with(
	$session,
	fetch('[{"id":1,"x":"NA"}]', 1),
	{ sqlstate => '22P02', context => qr/row 1, column "x"/ },
	'NA in a row array is no number');
fails_with(
	$session,
	fetch('{"id":[1,2],"x":[1.5,"na"]}', 2),
	{ sqlstate => '22P02', context => qr/row 2, column "x"/ },
	'other words in a column object are no number');

# --- columns that do not fit -------------------------------------------------------

for my $case (
	[ 'the second column shorter', '{"id":[1,2],"x":[1]}' ],
	[ 'the second column longer', '{"id":[1],"x":[1,2]}' ],
	[ 'the second column empty', '{"id":[1,2],"x":[]}' ])
{
	my ($name, $body) = @$case;
	fails_with(
		$session,
		fetch($body, 2),
		{ sqlstate => '22032', message => qr/"id".*"x"|"x".*"id"/s },
		"columns of unequal length, both named: $name");
}
fails_with(
	$session,
	fetch('{"id":[1,2],"x":{"a":1}}', 2),
	{ sqlstate => '22032' },
	'an object where a column should be');
fails_with(
	$session,
	fetch('{"id":[1,2],"x":[1.5,null]}[]', 2),
	{ sqlstate => '22032' },
	'columns with something after them');
succeeds(
	$session, fetch('{"id":[7,8],"x":[1.5,null],"id":[1,2]}', 2),
	$two_rows, 'of a column that comes twice the last counts');
fails_with(
	$session,
	fetch('{"id":[1,2],"x":[1.5,"b"]}', 2),
	{ sqlstate => '22P02', context => qr/row 2, column "x"/ },
	'an error in a column object names row and column');

# --- cut, or with something after it -----------------------------------------------

my %cut = (
	'[{"id":1},{"id":' => qr/after 1 row/,
	'[{"id":1}' => qr/after 1 row/,
	'[{"id":1},' => qr/after 1 row/,
	'[' => qr/after 0 rows/,
	"{\"id\":1}\n{\"id\":2}\n{\"id" => qr/after 2 rows/,
	'{"id":[1,2],"x":[1.5' => qr/truncated/i,
	'{"id":[1,2],"x":' => qr/truncated/i,
	'{"id":[1,2]' => qr/truncated/i,
	'{' => qr/truncated/i,
	'[{"id":1,"x":"a' => qr/after 0 rows/);

for my $body (sort keys %cut)
{
	fails_with(
		$session,
		fetch($body, 3),
		{ sqlstate => '22032', message => qr/truncated/i },
		'truncated: ' . ($body =~ s/\n/<LF>/gr));
	fails_with(
		$session,
		fetch($body, 3),
		{ sqlstate => '22032', message => $cut{$body} },
		'truncated, and the message says how far it came: ' . ($body =~ s/\n/<LF>/gr));
}

for my $case (
	[ '[{"id":1}]<html>', qr/\b10\b|"<"/ ],
	[ '[{"id":1}]]', qr/"\]"/ ],
	[ '[{"id":1}][{"id":2}]', qr/"\["/ ],
	[ '[{"id":1},]', qr/"\]"/ ],
	[ '[{"id":1} {"id":2}]', qr/"\{"/ ],
	[ '[,{"id":1}]', qr/","/ ],
	[ "{\"id\":1}\n<html>", qr/"<"/ ],
	[ '{"id":1} {"id":2}', qr/"\{"/ ],
	[ "{\"id\":1},\n{\"id\":2}", qr/","/ ],
	[ '<!DOCTYPE html><html>', qr/"<"/ ],
	[ "\x00\x01\x02\x03", qr/0x00|\\x00|byte/ ],
	[ "\x1f\x8b\x08\x00", qr/0x1[fF]|\\x1[fF]|byte/ ],
	[ "\xff\xfe[\x00{\x00", undef, qr/^(22032|22021)$/ ],
	[ "\xef\xbb\xbf\xef\xbb\xbf[]", qr/./ ],
	[ "[\xef\xbb\xbf]", qr/./ ],
	[ "[{\"id\":1}]\x00", qr/./ ],
	[ '(function(){return [];})()', qr/"\("/ ])
{
	my ($body, $message, $sqlstate) = @$case;
	my $shown = $body =~ s/([^ -~])/sprintf '<%02X>', ord $1/ger;
	fails_with(
		$session,
		fetch($body, 2),
		{ sqlstate => $sqlstate // '22032', $message ? (message => $message) : () },
		"malformed: $shown");
}

# a failed trial is no sample
succeeds(
	$session,
	fetch_call(
		'trial, status, rows_per_second IS NULL',
		$server->url('/json', body => '[{"id":1},{"id":'), 3,
		row_type => "'points'",
		trials => 2),
	qr/\A1\|failed: 22032 [^\n]*truncated[^\n]*\|t\n2\|failed: 22032 [^\n]*\|t\z/i,
	'with several trials a failure is a row that says so');

# --- pieces cut anywhere -----------------------------------------------------------

my $utf8 = "[{\"id\":1,\"x\":\"\xc3\xa9\\ud83d\\ude00\xf0\x9f\x98\x80\"},{\"id\":2,\"x\":null}]";
for my $body (
	$utf8,
	$utf8 =~ s/^\[|\]$//gr =~ s/\},/}\n/r,
	'{"id":[1,2],"x":["' . "\xc3\xa9" . '\ud83d\ude00' . "\xf0\x9f\x98\x80" . '",null]}')
{
	my $shape = substr($body, 0, 7) =~ s/"//gr;
	for my $chunk (1, 2, 3, 7)
	{
		succeeds(
			$session,
			fetch_call(
				'rows, status, digest',
				$server->url('/drip', body => $body, chunk => $chunk, delay_ms => 0), 2,
				row_type => "'texts'",
				verify => 'true'),
			expected("VALUES (1::bigint, '\xc3\xa9' || repeat(chr(128512), 2)), (2, NULL)", 2),
			"$shape..., $chunk byte(s) at a time");
	}
}

# --- limits ------------------------------------------------------------------------

fails_with(
	$session,
	fetch_call('rows', $server->url('/deep', depth => 10000), 1, row_type => "'texts'"),
	{ sqlstate => '54000', message => qr/nest/ },
	'ten thousand arrays within each other');
succeeds($session,
	fetch_call('rows, status', $server->url('/deep', depth => 200), 1, row_type => "'texts'"),
	'1|ok', 'two hundred arrays within each other');

done_testing();
