import fc from 'fast-check';

// A run says what the change it tests did, so every run tries the same cases; FAST_CHECK_SEED=random (or a number) tries others.
const seed = process.env['FAST_CHECK_SEED'] ?? '20261130';
if (seed !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
