# Each step of a fetch fails once: the first call of a function, the second, and
# so on until the statement no longer comes so far. Each failure is an error
# with its SQLSTATE, or the right rows all the same; no handle and no block of
# memory is left of it, and the next fetch in the same backend is right.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

use TransferBench;

use constant {
	MOST => 5000,    # calls of one step in one statement
	HANDLES => 5,
	LIBRARIES => 5, };

my $directory = PostgreSQL::Test::Utils::tempdir();
my $library = build_preload($directory, 'failing_steps');
plan skip_all => 'no compiler for the library that makes steps fail' unless $library;

# --- the library's file: struct Control of failing_steps.c ------------------------------

my $control = "$directory/control";
my $layout = 'Z64 q2 q' . (HANDLES + LIBRARIES);
my @counted = (
	qw(easy multi url inflate tokener),
	map { "memory of $_" } qw(module postgres libcurl libjson-c libz));
append_to_file($control, pack($layout, '', (0) x (2 + @counted)));
open(my $file, '+<:raw', $control) or die "could not open $control: $!";
$file->autoflush(1);

# The next but so many calls of a step is to fail; 0: none is.
sub arm
{
	my ($step, $countdown) = @_;

	sysseek($file, 0, 0);
	syswrite($file, pack('Z64 q2', $step, $countdown, 0)) == 80 or die "could not write: $!";
	return;
}

# How many calls have failed, and what is alive.
sub state_of
{
	sysseek($file, 0, 0);
	sysread($file, my $bytes, length pack($layout, '', (0) x (2 + @counted))) or die "could not read: $!";
	my (undef, undef, $failed, @alive) = unpack $layout, $bytes;
	return ($failed, join ', ', map { "$counted[$_]: $alive[$_]" } grep { $alive[$_] } 0 .. $#counted);
}

# --- a backend under it -----------------------------------------------------------------

my $node = start_node(
	'failing',
	settings => "pg_transferbench.allowed_hosts = '127.0.0.1, *.test'",
	environment => {
		LD_PRELOAD => join(' ', $library, build_resolver($directory)),
		FAILING_STEPS_FILE => $control });
my $server = start_http_server();
my $observer = TransferBench::Session->new($node);
$observer->value($_)
  for ('CREATE TABLE points (id bigint, x float8)', 'CREATE TABLE documents (id bigint, x jsonb)');

sub fetch
{
	my ($address, $n, %options) = @_;

	return fetch_call('rows, status', $address, $n, row_type => "'points'", %options);
}

my $good = fetch($server->url('/rows'), 3);
my $headers = literal('{"A":"1","B":"2"}');
my $named = fetch($server->url('/rows') =~ s/127\.0\.0\.1/loopback.test/r, 3, headers => $headers, verify => 'true');
my $packed = fetch($server->url('/rows', encoding => 'gzip'), 3);
my $redirected = fetch($server->url('/redirect', to => '/json'), 3);
my $large = fetch($server->url('/rows'), 40_000);
my $paged = fetch($server->url('/rows'), 6, page_rows => 2);
my $spooled = fetch($server->url('/columns'), 40_000);
my $refused = fetch('http://metadata.test/', 3);
my $document = '{"a":[1,2.50,"\\u00e9"],"b":{"c":null}}';
my $documents = fetch_call(
	'rows, status', $server->url('/json', body => qq([{"id":1,"x":$document},{"id":2,"x":[true]}])),
	2, row_type => "'documents'", verify => 'true');

my $memory = qr/^53200$/;

# libcurl takes a failure for another now and then: a name that is not found, a
# connection that is lost, a header that is too long, a URL without its query string
my $memory_of_libcurl = qr/^(53200|08001|08006|38000|54000)$/;
my @steps = (

	# step, statement, its rows, SQLSTATE
	[ 'curl_multi_init', $good, 3, $memory ],
	[ 'curl_easy_init', $good, 3, $memory ],
	[ 'curl_easy_setopt', $paged, 6, $memory ],
	[ 'curl_slist_append', $named, 3, $memory ],
	[ 'curl_url', $redirected, 3, $memory ],
	[ 'curl_url_set', $redirected, 3, $memory ],
	[ 'curl_url_get', $redirected, 3, $memory ],
	[ 'curl_multi_add_handle', $paged, 6, $memory ],
	[ 'curl_multi_remove_handle', $paged, 6, $memory ],
	[ 'curl_multi_perform', $paged, 6, $memory ],
	[ 'curl_multi_poll', $paged, 6, $memory ],
	[ 'curl_easy_pause', $large, 40_000, $memory ],
	[ 'inflateInit2_', $packed, 3, $memory ],
	[ 'inflate', $packed, 3, $memory ],
	[ 'json_tokener_new_ex', $good, 3, $memory ],
	[ 'json_tokener_parse_ex', $good, 3, $memory ],
	[ 'pthread_create', $named, 3, qr/^08001$/ ],
	[ 'socket', $good, 3, qr/^08001$/ ],
	[ 'send', $paged, 6, qr/^08006$/ ],
	[ 'recv', $paged, 6, qr/^08006$/ ],
	[ 'poll', $paged, 6, qr/^(38000|08006|08001)$/ ],
	[ 'pwrite', $spooled, 40_000, qr/^53100$/ ],
	[ 'memory@module', $documents, 2, $memory ],
	[ 'memory@module', $packed, 3, $memory ],
	[ 'memory@libjson-c', $documents, 2, $memory ],
	[ 'memory@libz', $packed, 3, $memory ],
	[ 'memory@libcurl', $named, 3, $memory_of_libcurl ],
	[ 'memory@libcurl', $redirected, 3, $memory_of_libcurl ],
	[ 'memory@postgres', $named, 3, $memory ],
	[ 'memory@postgres', $spooled, 40_000, $memory ],
	[ 'cancel@clock', $named, 3, qr/^57014$/ ],
	[ 'cancel@clock', $packed, 3, qr/^57014$/ ],
	[ 'cancel@clock', $redirected, 3, qr/^57014$/ ],
	[ 'cancel@clock', $refused, undef, qr/^(57014|42501)$/ ]);

my $session = TransferBench::Session->new($node);
succeeds($session, $good, '3|ok', 'a good fetch before all of them');
$session->value("SET pg_transferbench.follow_redirects = 'on'");
$session->value("SET pg_transferbench.max_buffered_bytes = '64kB'");
$session->value("SET client_min_messages = 'error'");

# What is alive, once it is what it was, or after so long that it stays; a
# resolver's thread that was left behind frees its memory when it ends.
sub settled_state
{
	my ($before) = @_;
	my $left;

	for (1 .. 200)
	{
		(undef, $left) = state_of();
		last if $left eq $before;
		sleep 0.01;
	}
	return $left;
}

# The statement with the step's call of that number failing. Returns whether it
# came so far, and what was wrong, if anything.
sub fail_at
{
	my ($number, $step, $sql, $rows, $sqlstate, $alive) = @_;

	arm($step, $number);
	my $result = $session->run($sql);
	my ($failed) = state_of();
	arm('', 0);
	my $left = settled_state($alive);
	return ($failed, 'the connection was lost') if $result->{lost};
	return ($failed, "SQLSTATE $result->{error}{sqlstate}: $result->{error}{message}")
	  if $result->{error} && $result->{error}{sqlstate} !~ $sqlstate;
	return ($failed, "the rows were '$result->{output}'")
	  if !$result->{error} && $result->{output} ne "$rows|ok";
	return ($failed, "left alive: $left; before: $alive") if $left ne $alive;
	my $next = $session->run($good);
	return ($failed, "the next fetch: '$next->{output}' $next->{errors}")
	  if $next->{output} ne '3|ok';
	return ($failed, undef);
}

for my $case (@steps)
{
	my ($step, $sql, $rows, $sqlstate) = @$case;
	my @faults;
	my $number = 0;

	# what libraries keep from a first time on is there
	is($session->run($sql)->{output}, defined $rows ? "$rows|ok" : '', "$step: none fails");
	my (undef, $alive) = state_of();
	while ($number < MOST)
	{
		my ($failed, $fault) = fail_at($number + 1, @$case, $alive);
		push @faults, "call @{[$number + 1]}: $fault" if defined $fault;
		last if !$failed || @faults > 2 || ($fault // '') =~ /lost/;
		$number++;
	}
	cmp_ok($number, '>', 0, "$step: there are calls of it: $number");
	ok(!@faults, "$step: each of them fails once") or diag(join "\n", @faults);
	BAIL_OUT('the backend is gone') if ($faults[-1] // '') =~ /lost/;
}

# libcurl is set up once in a backend
{
	my $fresh = TransferBench::Session->new($node);

	arm('curl_global_init', 1);
	fails_with($fresh, $good, { sqlstate => '38000', message => qr/^could not initialise libcurl$/ },
		'curl_global_init fails');
	arm('', 0);
	succeeds($fresh, $good, '3|ok', 'and is tried again by the next fetch');
	$fresh->quit;
}

done_testing();
