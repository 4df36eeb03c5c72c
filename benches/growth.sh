#!/usr/bin/env bash
# Reads what `cargo bench --bench engine` measured and prints, for each question, the medians, how
# they grow from the small store to the large one, and how they compare with the bare statements.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${CARGO_TARGET_DIR:-target}/criterion
small=1000
large=100000

# median QUESTION FUNCTION SIZE: nanoseconds.
median() {
    sed -E 's/.*"median":\{"confidence_interval":\{[^}]*\},"point_estimate":([0-9.eE+-]+).*/\1/' \
        "$folder/$1/$2/$3/new/estimates.json"
}

if ! ls "$folder"/*/engine/$small/new/estimates.json >/dev/null 2>&1; then
    echo "nothing in $folder: run \`cargo bench --bench engine\` first" >&2
    exit 1
fi
for path in "$folder"/*/engine/$small/new/estimates.json; do
    question=$(basename "${path%/engine/$small/new/estimates.json}")
    if [ ! -e "$folder/$question/engine/$large/new/estimates.json" ]; then
        echo "$question: no figure for $large messages" >&2
        continue
    fi
    echo "$question $(median "$question" engine $small) $(median "$question" engine $large)" \
        "$(median "$question" bare $small) $(median "$question" bare $large)"
done | awk -v small="$small" -v large="$large" '
    BEGIN {
        printf "%-14s %12s %12s %8s %12s %12s %8s %10s %10s\n", "question", "engine " small,
            "engine " large, "growth", "bare " small, "bare " large, "growth", "ratio " small, "ratio " large
    }
    {
        printf "%-14s %9.1f us %9.1f us %7.2fx %9.1f us %9.1f us %7.2fx %9.2fx %9.2fx\n", $1,
            $2 / 1000, $3 / 1000, $3 / $2, $4 / 1000, $5 / 1000, $5 / $4, $2 / $4, $3 / $5
    }'
