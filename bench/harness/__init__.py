"""Parts of bench/run: services, load generators, the meter, results, and their presentation."""
