"""Old jobs in Parquet files, by month: how they are moved, found, queried and deleted."""
