# Whatever goes wrong, a token in headers, in a query string or in the
# credentials file is in no message, no result and no line of the log of ours.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Utils;
use Test::More;

use TransferBench;

use constant SECRET => 't0ps3cret';

my $directory = PostgreSQL::Test::Utils::tempdir();
my $resolver = build_resolver($directory);

# the text of statements is in the log by PostgreSQL's own doing: these settings
# leave what the extension says
my $node = start_node(
	'secrets',
	settings => join("\n",
		'log_min_messages = debug1',
		'log_error_verbosity = verbose',
		"pg_transferbench.allowed_hosts = 'localhost, 127.0.0.1, *.test'",
		"pg_transferbench.credentials_file = '$directory/credentials'"),
	environment => { $resolver ? (LD_PRELOAD => $resolver) : () });
my $server = start_http_server();
my $other = start_http_server();
my $gone = start_http_server();
my $gone_url = $gone->url('/rows');
$gone->stop;
my $session = TransferBench::Session->new($node, settings => { client_min_messages => 'debug1' });
my ($port, $unanswered_port) = ($server->port, $server->{unanswered_port});

append_to_file("$directory/credentials", join '', map { "$_->[0]:$_->[1]:X-From-File: " . SECRET . "\n" }
	  ([ '127.0.0.1', $port ], [ 'localhost', $port ], [ '127.0.0.1', $unanswered_port ], [ 'stalled.test', 80 ]));
chmod oct '600', "$directory/credentials";
$session->value($_)
  for (
	'CREATE TABLE points (id bigint, x float8)',
	'SELECT count(*) FROM bench_rows(1)',
	'SET pg_transferbench.stall_timeout = 100',
	'SET pg_transferbench.connect_timeout = 150');

my $headers = literal('{"Authorization":"Bearer ' . SECRET . '","X-Api-Key":"' . SECRET . '"}');

# With a token in the query string and in the fragment.
sub with_token
{
	my ($url) = @_;
	return $url . ($url =~ /\?/ ? '&' : '?') . 'token=' . SECRET . '#' . SECRET;
}

# Each way to call, whole rows of the result among it.
sub calls
{
	my ($url, $n) = @_;
	my %options = (row_type => "'points'", headers => $headers);
	my $query = literal("SELECT i::bigint AS id, i + 0.5::float8 AS x FROM generate_series(1, $n) AS i");

	return (
		[ 'one trial', fetch_call('f', $url, $n, %options) =~ s/(\) *)$/$1 AS f/r ],
		[ 'trials', fetch_call('f', $url, $n, %options, trials => 2) =~ s/(\) *)$/$1 AS f/r ],
		[ 'verified', fetch_call('f', $url, $n, %options, verify => 'true') =~ s/(\) *)$/$1 AS f/r ],
		[ 'pages', fetch_call('f', $url, $n, %options, page_rows => 2) =~ s/(\) *)$/$1 AS f/r ],
		[ 'comparison', 'SELECT c FROM bench_compare(' . literal($url) . ", '{$n}', trials => 2, query => $query, headers => $headers) AS c" ]);
}

# Two assertions: something is said, and no token is in it.
sub says_no_secret
{
	my ($sql, $said, $name) = @_;
	my $result = $session->run($sql);
	my $text = "$result->{output}\n$result->{errors}";
	local $Test::Builder::Level = $Test::Builder::Level + 1;

	like($text, $said, "$name: is told");
	unlike($text, qr/t0ps3cret|Bearer/i, "$name: without the token");
	return $result;
}

# --- what goes wrong on the way ---------------------------------------------------------

my @behaviours = (

	# name, what is said, settings, path and parameters
	[ 'all is well', qr/ok|http-json/, {}, '/rows' ],
	[ 'status 404', qr/404/, {}, '/status/404' ],
	[ 'status 401', qr/401/, {}, '/status/401' ],
	[ 'status 500 with JSON', qr/500/, {}, '/json', status => 500, body => '{"error":"no"}' ],
	[ 'an error object', qr/status 200/, {}, '/ok_error' ],
	[ 'HTML', qr/</, {}, '/json', body => '<html>', type => 'text/html' ],
	[ 'no JSON', qr/row 2|byte/, {}, '/json', body => '[{"id":1},{"id":tru}]' ],
	[ 'a cut array', qr/truncated/, {}, '/json', body => '[{"id":1},{"id":' ],
	[ 'something after it', qr/after|byte/, {}, '/json', body => '[{"id":1}]<html>' ],
	[ 'no UTF-8', qr/UTF-8/, {}, '/json', body => "[{\"id\":1,\"x\":\"\xff\"}]" ],
	[ 'a value that is none', qr/22P02|differ/, {}, '/json', body => '[{"id":"x"},{"id":2},{"id":3}]' ],
	[ 'a value out of range', qr/22003/, {}, '/json', body => '[{"id":9223372036854775808}]' ],
	[ 'unequal columns', qr/unequal|length/, {}, '/json', body => '{"id":[1,2,3],"x":[1]}' ],
	[ 'a missing key', qr/no such key/, {}, '/json', body => '[{"id":1},{"id":2},{"id":3}]' ],
	[ 'NA', qr/"NA"/, {}, '/json', body => '{"id":[1,2,3],"x":["NA",1,2]}' ],
	[ 'strangers', qr/no row of the expected/, {}, '/json', body => '[{"a":1},{"b":2}]' ],
	[ 'temporary files', qr/temporary files/, { max_buffered_bytes => '0' }, '/columns' ],
	[ 'too few rows', qr/rows/, {}, '/rows', total => 1 ],
	[ 'too many rows', qr/more|4 of 3 rows/, {}, '/rows', extra => 1 ],
	[ 'other rows', qr/differ|ok/, {}, '/json', body => '[{"id":1,"x":0},{"id":2,"x":0},{"id":3,"x":0}]' ],
	[ 'less than Content-Length', qr/08006/, {}, '/short', send => 0 ],
	[ 'closed', qr/08006/, {}, '/close' ],
	[ 'reset', qr/08006/, {}, '/reset' ],
	[ 'the last chunk missing', qr/08006/, {}, '/chunked', mode => 'missing_last' ],
	[ 'a bad chunk size', qr/08006/, {}, '/chunked', mode => 'bad_size' ],
	[ 'no HTTP', qr/08P01/, {}, '/raw', bytes => "SSH-2.0-OpenSSH\r\n" ],
	[ 'a cut head', qr/08006/, {}, '/raw', bytes => "HTTP/1.1 200 OK\r\nContent-Ty" ],
	[ 'silence', qr/sent nothing/, {}, '/accept_only' ],
	[ 'silence within the body', qr/sent nothing/, {}, '/stall', after => 20 ],
	[ 'the timeout', qr/within 0\.1 s/, { timeout => '100ms' }, '/drip', delay_ms => 20 ],
	[ 'headers without end', qr/header/, {}, '/endless_headers' ],
	[ 'a body too long', qr/longer than 10 bytes/, { max_response_bytes => '10' }, '/rows' ],
	[ 'a row too long', qr/at most 10 bytes/, { max_row_bytes => '10' }, '/rows' ],
	[ 'brotli', qr/"br"/, {}, '/json', encoding => 'br' ],
	[ 'damaged gzip', qr/corrupt/, {}, '/gzip', damage => 1 ],
	[ 'cut gzip', qr/too early/, {}, '/gzip', cut => 4 ],
	[ '429', qr/429/, {}, '/retry', key => 'secret', after => 0, times => 1000 ],
	[ 'a redirect that is not followed', qr/302/, {}, '/redirect', to => "/rows?token=" . SECRET ],
	[ 'a loop of redirects', qr/redirected more/, { follow_redirects => 'on' }, '/redirect' ],
	[ 'a redirect to a status', qr/404/, { follow_redirects => 'on' }, '/redirect', to => '/status/404?token=' . SECRET ],
	[   'a redirect to a status elsewhere',
		qr/404/, { follow_redirects => 'on' }, '/redirect', to => $other->url('/status/404', token => SECRET) ],
	[ 'a redirect to a user', qr/user name or password/, { follow_redirects => 'on' }, '/redirect', to => 'http://' . SECRET . ':' . SECRET . '@127.0.0.1/' ],
	[ 'a redirect to a host that is not allowed', qr/not allowed/, { follow_redirects => 'on' }, '/redirect', to => 'http://example.invalid/?token=' . SECRET ],
	[ 'a redirect to a malformed URL', qr/malformed/, { follow_redirects => 'on' }, '/redirect', to => 'http://127.0.0.1:x/?token=' . SECRET ],
	[ 'a redirect to no URL', qr/no scheme/, { follow_redirects => 'on' }, '/redirect', to => 'data:' . SECRET ]);

# URLs that lead to no answer
my @urls = (
	[ 'a refused connection', qr/08001/, $gone_url ],
	[ 'an unanswered connection', qr/08001/, "http://127.0.0.1:$unanswered_port/" ],
	[ 'no TLS', qr/08001/, $server->url('/rows') =~ s/^http/https/r ],
	[ 'a host that is not allowed', qr/42501/, 'http://example.invalid/' ],
	[ 'an address that is not allowed', qr/42501/, 'http://169.254.169.254/' ],
	[ 'a malformed port', qr/malformed/, 'http://127.0.0.1:x/' ],
	[ 'a malformed URL', qr/malformed/, "http://127.0.0.1:$port/a b" ],
	[ 'no scheme', qr/no scheme/, '127.0.0.1/rows' ],
	[ 'a scheme that is not supported', qr/scheme "ftp"/, 'ftp://127.0.0.1/' ],
	[ 'userinfo', qr/credentials_file/, 'http://user:' . SECRET . "\@127.0.0.1:$port/rows" ],
	[ 'userinfo with a user alone', qr/credentials_file/, 'http://' . SECRET . "\@127.0.0.1:$port/rows" ],
	[ 'userinfo without a scheme', qr/no scheme/, 'user:' . SECRET . "\@127.0.0.1:$port/rows" ],
	[ 'userinfo without slashes', qr/no scheme/, 'http:user:' . SECRET . "\@127.0.0.1:$port/rows" ],
	[ 'userinfo with a slash too few', qr/no scheme/, 'http:/user:' . SECRET . "\@127.0.0.1:$port/rows" ],
	[ 'userinfo of another scheme', qr/scheme "ftp"/, 'ftp://user:' . SECRET . "\@127.0.0.1/" ],
	[ 'userinfo and a malformed port', qr/malformed/, 'http://user:' . SECRET . "\@127.0.0.1:x/" ],
	[ 'a token where the port is', qr/malformed/, 'http://user:' . SECRET . '/' ]);
push @urls,
  ([ 'a name that does not exist', qr/resolve/, 'http://unknown.test/' ],
	[ 'a name that leads to an address that is not allowed', qr/leads to/, 'http://metadata.test/' ],
	[ 'a name server that never answers', qr/within 0\.15 s/, 'http://stalled.test/' ])
  if $resolver;

my @cases = (
	(map { my ($name, $said, $settings, @url) = @$_; [ $name, $said, $settings, $server->url(@url) ] } @behaviours),
	(map { my ($name, $said, $url) = @$_; [ $name, $said, {}, $url ] } @urls));
for my $case (@cases)
{
	my ($name, $said, $settings, $url) = @$case;

	$session->value("SET pg_transferbench.$_ = '$settings->{$_}'") for sort keys %$settings;
	for my $call (calls(with_token($url), 3))
	{
		my ($way, $sql) = @$call;

		# pages of two rows: what is wrong may be another thing
		says_no_secret($sql, $way eq 'pages' ? qr/./ : $said, "$name, $way");
	}
	$session->value("RESET pg_transferbench.$_") for sort keys %$settings;
}

# --- arguments that are wrong -------------------------------------------------------------

my $rows = with_token($server->url('/rows'));
for my $case (
	[ 'a value with a line break', '{"X-Api-Key":"' . SECRET . '\r\nX: y"}' ],
	[ 'a value with a control character', '{"X-Api-Key":"' . SECRET . '\u0001"}' ],
	[ 'a list for a value', '{"X-Api-Key":["' . SECRET . '"]}' ],
	[ 'an object for a value', '{"X-Api-Key":{"a":"' . SECRET . '"}}' ],
	[ 'a header whole for a name', '{"Authorization: Bearer ' . SECRET . '":""}' ],
	[ 'a list of headers', '["Authorization: Bearer ' . SECRET . '"]' ],
	[ 'a string', '"Authorization: Bearer ' . SECRET . '"' ])
{
	my ($name, $argument) = @$case;

	says_no_secret(fetch_call('rows', $rows, 3, headers => literal($argument)), qr/22023: headers/, "headers: $name");
}
for my $case (
	[ 'n', "-1, headers => $headers" ], [ 'trials', "1, trials => 0, headers => $headers" ],
	[ 'page_rows', "1, page_rows => 0, headers => $headers" ], [ 'decoder', "1, decoder => 'x', headers => $headers" ],
	[ 'row_type', "1, row_type => 'pg_proc_oid_index', headers => $headers" ])
{
	my ($name, $arguments) = @$case;
	says_no_secret('SELECT * FROM bench_http_fetch(' . literal($rows) . ", $arguments)", qr/ERROR:  (22023|42809)/, "arguments: $name");
}
$session->value('CREATE TEMPORARY TABLE temporary (id bigint)');
says_no_secret('SELECT * FROM bench_compare(' . literal($rows) . ", '{1}', query => 'TABLE temporary', headers => $headers)", qr/temporary/i, 'a temporary table');
says_no_secret('SELECT * FROM bench_compare(' . literal($rows) . ", '{1}', query => 'SELECT 1 / 0 AS id', headers => $headers)", qr/22012/, 'a query that fails');

# --- interrupted ----------------------------------------------------------------------------

$session->value('SET pg_transferbench.stall_timeout = 0');
$session->value('SET statement_timeout = 100');
for my $call (calls(with_token($server->url('/accept_only')), 3))
{
	says_no_secret($call->[1], qr/57014/, "statement_timeout, $call->[0]");
}
$session->value('RESET statement_timeout');

# --- and in the log ----------------------------------------------------------------------------

# what was sent did carry it
$server->forget_requests;
$session->value(fetch_call('rows', with_token($server->url('/rows')), 3, row_type => "'points'", headers => $headers));
my ($request) = $server->requests;
like($request->{line}, qr/t0ps3cret/, 'the token of the query string is sent');
is($request->{headers}{authorization}, 'Bearer ' . SECRET, 'so is that of headers');
is($request->{headers}{'x-from-file'}, SECRET, 'and that of the file');

$session->quit;
$node->stop;
my $log = slurp_file($node->logfile);
my $ours = () = $log =~ /LOCATION:  \w+, (?:http_\w+|arguments|row_input|compare_function|trial_functions)\.c:\d+/g;
cmp_ok($ours, '>', 100, 'the log tells of the failures');
unlike($log, qr/t0ps3cret|Bearer/i, 'without a token');

done_testing();
