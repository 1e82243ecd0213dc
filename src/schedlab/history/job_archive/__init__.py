"""Old jobs in Parquet files, by month: moved there, found there, asked there, deleted there."""
