# Databases that are not in UTF8: what came as JSON is converted, or refused
# with the row and the column; never other characters than were sent.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Utils;
use Test::More;

use TransferBench;

my $node = start_node('encodings');
my $server = start_http_server();
my $utf8 = TransferBench::Session->new($node);

# all of them as UTF-8
my ($e_acute, $euro, $kanji, $s_caron) = ("\xc3\xa9", "\xe2\x82\xac", "\xe6\x97\xa5", "\xc5\xa1");
my %escaped = ($e_acute => '\u00e9', $euro => '\u20ac', $kanji => '\u65e5', $s_caron => '\u0161');

# Per encoding: a character that it has, and those that it has not.
my %encodings = (
	LATIN1 => { has => $e_acute, lacks => [ $euro, $kanji, $s_caron ] },
	LATIN9 => { has => $euro, lacks => [$kanji] },
	EUC_JP => { has => $kanji, lacks => [$euro] },
	SQL_ASCII => { has => $e_acute, lacks => [] });

# Session of a new database; both ends of it speak UTF8.
sub create_database
{
	my ($encoding) = @_;
	my $name = lc $encoding;

	$utf8->value("CREATE DATABASE $name ENCODING '$encoding' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
	my $session = TransferBench::Session->new($node, dbname => $name, settings => { client_encoding => 'UTF8' });
	$session->value('CREATE EXTENSION pg_transferbench');
	return $session;
}

sub body_url
{
	my ($body, @parameters) = @_;
	return $server->url('/json', body => $body, @parameters);
}

sub verified_fetch
{
	my ($body, $row_type, $n) = @_;
	return fetch_call('rows, status, digest', body_url($body), $n // 1, row_type => literal($row_type), verify => 'true');
}

sub verified_query
{
	my ($query, $n) = @_;
	return extract_call('rows, status, digest', $query, $n // 1, verify => 'true');
}

# Makes the same types and tables in a database, named with a character of its own.
sub create_tables
{
	my ($session, $c) = @_;

	$session->value($_)
	  for (
		"CREATE TYPE \"mood$c\" AS ENUM ('$c', 'other')",
		"CREATE TYPE \"pair$c\" AS (\"a$c\" int, b text)",
		"CREATE DOMAIN \"one$c\" AS text CHECK (VALUE <> 'x$c')",
		"CREATE TABLE \"table$c\" (\"t$c\" text, v varchar(3), b char(3), j json, jb jsonb, a text[], p \"pair$c\", e \"mood$c\", d \"one$c\", n name)",
		"CREATE TABLE \"few$c\" (\"id$c\" bigint, \"t$c\" text)");
	return;
}

# --- what the encoding has ----------------------------------------------------------------

my (%sessions, %is_made);

for my $encoding (sort keys %encodings)
{
	my $c = $encodings{$encoding}{has};
	my $x = $escaped{$c};
	my $session = $sessions{$encoding} = create_database($encoding);

	create_tables($session, $c);
	create_tables($utf8, $c) unless $is_made{$c}++;

	my $query = "SELECT 'v$c'::text AS \"t$c\", '$c'::varchar(3) AS v, '$c'::char(3) AS b, '{\"k$c\":\"$c\"}'::json AS j, '{\"k$c\":\"$c\"}'::jsonb AS jb,"
	  . " ARRAY['$c', 'x'] AS a, ROW(1, '$c')::\"pair$c\" AS p, '$c'::\"mood$c\" AS e, '$c'::\"one$c\" AS d, '$c'::name AS n";
	my $expected = $utf8->value(verified_query($query));
	my $row = sub {
		my ($c) = @_;
		return qq({"t$c":"v$c","v":"$c","b":"$c","j":{"k$c":"$c"},"jb":{"k$c":"$c"},"a":["$c","x"],"p":{"a$c":1,"b":"$c"},"e":"$c","d":"$c","n":"$c"});
	};

	succeeds($session, verified_query($query), $expected, "$encoding: the digest of a query is that in UTF8");
	succeeds($session, verified_fetch('[' . $row->($c) . ']', "\"table$c\""), $expected, "$encoding: keys and values are converted");

	# without a conversion PostgreSQL does not take escapes beyond ASCII in jsonb
	if ($encoding eq 'SQL_ASCII')
	{
		fails_with($session, verified_fetch(qq([{"jb":{"k":"$x"}}]), "\"table$c\""), { sqlstate => '0A000', context => qr/row 1, column "jb"/ },
			"$encoding: an escape within jsonb is refused");
		succeeds($session, verified_fetch('[' . $row->($x) =~ s/("jb":)[^}]*/$1\{"k$c":"$c"/r . ']', "\"table$c\""),
			$expected, "$encoding: escaped keys and values of other columns likewise");
	}
	else
	{
		succeeds($session, verified_fetch('[' . $row->($x) . ']', "\"table$c\""), $expected, "$encoding: escaped keys and values likewise");
	}
	$expected = $utf8->value(verified_query("SELECT 1::bigint AS \"id$c\", '$c'::text AS \"t$c\""));
	succeeds($session, verified_fetch(qq([{"id$x":1,"t$x":"$x"}]), "\"few$c\""), $expected, "$encoding: an escaped key and text");
	succeeds($session, verified_fetch(qq({"id$x":[1],"t$c":["$x"]}), "\"few$c\""), $expected, "$encoding: columns");
	succeeds($session, verified_fetch(qq({"id$c":1,"t$x":"$c"}\n), "\"few$c\""), $expected, "$encoding: one line");
	succeeds($session, verified_fetch(qq([{"$kanji$euro":{"$euro":"$kanji"},"id$c":1,"t$c":"$c"}]), "\"few$c\""),
		$expected, "$encoding: a key of no column may hold what it likes");
	succeeds($session,
		'SELECT rows_equal, values_changed FROM bench_compare(' . literal(body_url(qq([{"id$c":1,"t$c":"$c"}])))
		  . ", '{1}', trials => 1, query => " . literal("SELECT 1::bigint AS \"id$c\", '$c'::text AS \"t$c\"") . ')',
		't|0', "$encoding: a comparison");

	# what is said of it reaches the client as the same character
	my $result = succeeds($session,
		'SELECT rows_equal, values_changed, changed_columns FROM bench_compare(' . literal(body_url(qq([{"id$c":1,"t$c":"x$x"}])))
		  . ", '{1}', trials => 1, query => " . literal("SELECT 1::bigint AS \"id$c\", 'y$c'::text AS \"t$c\"") . ')',
		"f|1|{t$c}", "$encoding: a comparison of values that differ");
	like(join("\n", map { $_->{detail} // '' } @{ $result->{notices} }), qr/\Qt$c: "y$c" -> "x$c"\E/, "$encoding: and both are shown");
	fails_with($session, verified_fetch(qq([{"id$c":"$x"}]), "\"few$c\""), { sqlstate => '22P02', message => qr/"\Q$c\E"/, context => qr/row 1, column "\Qid$c\E"/ },
		"$encoding: a value that is none is told");
	fails_with($session, verified_fetch(qq([{"d":"x$c"}]), "\"table$c\""), { sqlstate => '23514', message => qr/\Qone$c\E/, context => qr/row 1, column "d"/ },
		"$encoding: a domain's constraint is told");
	fails_with($session, verified_fetch(qq({"id$c":[1,2],"t$x":["$c"]}), "\"few$c\"", 2), { sqlstate => '22032', message => qr/^columns of unequal length: "id\S+" has 2 values, "t\\u[0-9a-f]{4}" has 1$/ },
		"$encoding: columns of unequal length are told");
	$result = succeeds($session, verified_fetch(qq([{"id$c":1}]), "\"few$c\""), qr/^1\|ok/, "$encoding: a key that is missing");
	like($result->{notices}[0]{message} // '', qr/column "\Qt$c\E"/, "$encoding: is told");
}

# --- what it has not ------------------------------------------------------------------------

for my $encoding (sort keys %encodings)
{
	my $session = $sessions{$encoding};
	my $c = $encodings{$encoding}{has};

	for my $lacking (@{ $encodings{$encoding}{lacks} })
	{
		for my $text ($lacking, $escaped{$lacking})
		{
			for my $case (
				[ "t$c", qq("$text") ],
				[ 'v', qq("$text") ],
				[ 'b', qq("$text") ],
				[ 'n', qq("$text") ],
				[ 'e', qq("$text") ],
				[ 'd', qq("$text") ],
				[ 'j', qq("$text") ],
				[ 'jb', qq("$text") ],
				[ 'jb', qq({"k":"$text"}) ],
				[ 'jb', qq({"$text":1}) ],
				[ 'a', qq(["x","$text"]) ],
				[ 'p', qq({"b":"$text"}) ])
			{
				my ($column, $value) = @$case;

				fails_with($session,
					fetch_call('rows', body_url(qq([{"t$c":"fine"},{"$column":$value}])), 2, row_type => literal("\"table$c\"")),
					{ sqlstate => '22P05', context => qr/row 2, column "\Q$column\E"/ },
					"$encoding: a character that it has not: $column from $value");
			}
			fails_with($session,
				fetch_call('rows', body_url(qq({"id$c":[1,2],"t$c":["fine","$text"]})), 2, row_type => literal("\"few$c\"")),
				{ sqlstate => '22P05', context => qr/row 2, column "\Qt$c\E"/ },
				"$encoding: a character that it has not, in columns: $text");
			my $url = literal(body_url(qq([{"id$c":1,"t$c":"$text"}])));
			fails_with($session, "SELECT * FROM bench_compare($url, '{1}', trials => 1, query => 'TABLE \"few$c\"', row_type => '\"few$c\"')",
				{ sqlstate => '22P05', context => qr/row 1, column "\Qt$c\E"/ }, "$encoding: a character that it has not, in a comparison: $text");
		}
	}
	fails_with($session, fetch_call('rows', body_url("[{\"t$c\":\"\xe9\"}]"), 1, row_type => literal("\"few$c\"")), { sqlstate => '22021', message => qr/UTF-8 in row 1/ },
		"$encoding: JSON in another encoding than UTF-8 is no JSON");
}

# --- bytes that are no characters -------------------------------------------------------------

# SQL_ASCII keeps bytes without knowing what they stand for: UTF-8 is taken for
# UTF-8, and of anything else there is no digest
{
	my $session = TransferBench::Session->new($node, dbname => 'sql_ascii', settings => { client_encoding => 'SQL_ASCII' });
	my $latin1 = "SELECT i::bigint AS id, CASE i WHEN 2 THEN 'caf\xe9' ELSE 'fine' END AS t FROM generate_series(1, 3) AS i ORDER BY i";
	my %no_utf8 = (sqlstate => '22021', message => qr/invalid byte sequence for encoding "UTF8": 0xe9/);

	succeeds($session, extract_call('rows, status', $latin1, 3), '3|ok', 'SQL_ASCII: bytes that are not UTF-8 are measured');
	fails_with($session, verified_query($latin1, 3), { %no_utf8, context => qr/row 2, column "t"/ }, 'SQL_ASCII: but have no digest');
	fails_with($session,
		'SELECT * FROM bench_compare(' . literal(body_url('[{"id":1,"t":"fine"}]')) . ", '{3}', trials => 1, query => " . literal($latin1) . ')',
		{ %no_utf8, context => qr/row 2, column "t"/ }, 'SQL_ASCII: nor can they be compared');
	for my $column ("'caf\xe9'::varchar", "'caf\xe9'::char(5)", "ARRAY['caf\xe9']", "'\"caf\xe9\"'::json", "'\"caf\xe9\"'::jsonb", "'caf\xe9'::name")
	{
		fails_with($session, verified_query("SELECT $column AS t"), { %no_utf8, context => qr/row 1, column "t"/ },
			'SQL_ASCII: no digest of ' . ($column =~ s/\xe9/<E9>/r));
	}
	my %no_name = (sqlstate => '22021', message => qr/^the name of column "caf\\xe9" is not UTF-8$/);
	fails_with($session, verified_query("SELECT 1 AS \"caf\xe9\""), \%no_name, 'SQL_ASCII: nor under a name of such bytes');
	$session->value("CREATE TABLE odd (id bigint, \"caf\xe9\" text)");
	fails_with($session, fetch_call('rows', body_url('[{"id":1}]'), 1, row_type => "'odd'"), \%no_name, 'SQL_ASCII: nor can such a name be a key');
	succeeds($session, verified_query("SELECT '\xc3\xa9'::text AS t"), $utf8->value(verified_query("SELECT '\xc3\xa9'::text AS t")),
		'SQL_ASCII: the digest of UTF-8 is that in UTF8');
	$session->quit;
}

# --- what is sent -----------------------------------------------------------------------------

for my $encoding (sort keys %encodings)
{
	my $session = $sessions{$encoding};
	my $c = $encodings{$encoding}{has};

	$server->forget_requests;
	$session->run(fetch_call('rows', $server->url('/rows') . "?k=$c&n={n}", 1, row_type => literal("\"few$c\""), headers => literal("{\"X-Test\":\"$c\"}")));
	my ($request) = $server->requests;

	# the server tells bytes as the characters of Latin-1
	is($request->{line}, "GET /rows?k=$c&n=1 HTTP/1.1", "$encoding: a URL is sent as UTF-8");
	is($request->{headers}{'x-test'}, $c, "$encoding: so is the value of a header");
}

# --- reference rows ---------------------------------------------------------------------------

for my $encoding (qw(LATIN1 LATIN9 EUC_JP))
{
	for my $call ('SELECT * FROM bench_extract(3)', 'SELECT count(*) FROM bench_rows(3)', 'SELECT bench_reference_table(3)')
	{
		fails_with($sessions{$encoding}, $call, { sqlstate => '0A000', message => qr/encoding "$encoding"/, hint => qr/UTF8/ },
			"$encoding: no reference rows: $call");
	}
}
succeeds($sessions{SQL_ASCII}, 'SELECT digest FROM bench_extract(100, verify => true)', $utf8->value('SELECT digest FROM bench_extract(100, verify => true)'),
	'SQL_ASCII: the reference rows are those of UTF8');

done_testing();
