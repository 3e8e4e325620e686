"""What a fit takes and finds: measured in one way by commands, experiments and benchmarks."""
