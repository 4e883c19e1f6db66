#!/bin/sh
# Snakemake calls this with the ids of jobs, as one program without arguments of its own.
exec plimsoll campaign cancel --quiet "$@"
