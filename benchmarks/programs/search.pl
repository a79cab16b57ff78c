#!/usr/bin/perl
# File search: walks a source tree, reads every file, keeps an index of words and the lines that
# match a pattern, and prints the matches and the commonest words. ROUNDS repeats the search.
use strict;
use warnings;

my ($tree, $rounds) = @ARGV;
die "usage: search.pl TREE ROUNDS\n" unless defined $rounds;

sub files_below {
    my ($folder) = @_;
    opendir(my $handle, $folder) or die "$folder: $!\n";
    my @found;
    for my $name (sort readdir $handle) {
        next if $name eq '.' or $name eq '..';
        my $path = "$folder/$name";
        push @found, -d $path ? files_below($path) : $path;
    }
    closedir $handle;
    return @found;
}

sub search {
    my ($pattern, $words, @paths) = @_;
    my @hits;
    for my $path (@paths) {
        open(my $file, '<', $path) or die "$path: $!\n";
        while (my $line = <$file>) {
            push @hits, { path => $path, number => $., text => $line } if $line =~ $pattern;
            $words->{$1}{$path}++ while $line =~ /([a-z_]{4,})/g;
        }
        close $file;
    }
    return \@hits;
}

for my $round (1 .. $rounds) {
    my %words;
    my $hits = search(qr/\b(?:alloc|free)_\w+\s*\(/, \%words, files_below($tree));
    printf "%s:%d:%s", @$_{qw(path number text)} for @$hits;
    my %total;
    while (my ($word, $places) = each %words) {
        $total{$word} += $_ for values %$places;
    }
    my @common = sort { $total{$b} <=> $total{$a} || $a cmp $b } keys %total;
    print "$_ $total{$_}\n" for @common[0 .. ($#common < 9 ? $#common : 9)];
}
