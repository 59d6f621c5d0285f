import { describe, expect, it } from 'vitest';
import { PlayClock, pointAt, runningChunk, scheduleOf, stepFrom } from '../../../../src/timeline/layout/replay-clock.ts';

const floats = (...values: number[]): Float64Array => Float64Array.from(values);

describe('when points are due', () => {
  it('keeps short pauses and cuts long ones', () => {
    // 100 ms, then 10 s cut to 1500, then 1500 whole, then 1 ms more.
    const { due, at } = scheduleOf(floats(1000, 1100, 11_100, 12_600, 12_601));
    expect(Array.from(due)).toEqual([0, 100, 1600, 3100, 3101]);
    expect(Array.from(at)).toEqual([1000, 1100, 11_100, 12_600, 12_601]);
  });

  it('holds a clock that ran backwards until it has caught up', () => {
    const { due, at } = scheduleOf(floats(500, 600, 450, 590, 650));
    expect(Array.from(due)).toEqual([0, 100, 100, 100, 150]);
    expect(Array.from(at)).toEqual([500, 600, 600, 600, 650]);
  });

  it('takes an unknown time for the one before', () => {
    expect(Array.from(scheduleOf(floats(NaN, 10, NaN, 30)).due)).toEqual([0, 0, 0, 20]);
  });

  it('finds the last point due', () => {
    const due = floats(0, 100, 100, 250);
    expect([-5, 0, 99, 100, 249, 250, 9999].map((offset) => pointAt(due, offset))).toEqual([0, 0, 0, 2, 2, 3, 3]);
    expect(pointAt(floats(), 10)).toBe(0);
  });
});

describe('steps', () => {
  const bits = { chunk: 1, group: 2, step: 4 };
  //                    0  1  2  3  4  5  6  7  8
  const kind = Uint8Array.of(0, 4, 3, 1, 3, 1, 0, 4, 0);

  it('go from event to event, over chunks', () => {
    expect([0, 1, 3, 6, 7, 8].map((at) => stepFrom(kind, bits, at, 'event', 1))).toEqual([1, 6, 6, 7, 8, 8]);
    expect([8, 6, 4, 1, 0].map((at) => stepFrom(kind, bits, at, 'event', -1))).toEqual([7, 1, 1, 0, 0]);
  });

  it('go from chunk group to chunk group and to the events between', () => {
    expect([1, 2, 3, 4, 5, 6].map((at) => stepFrom(kind, bits, at, 'group', 1))).toEqual([2, 4, 4, 6, 6, 7]);
    expect([6, 5, 4, 2].map((at) => stepFrom(kind, bits, at, 'group', -1))).toEqual([4, 4, 2, 1]);
  });

  it('go from step to step, and to the ends', () => {
    expect([0, 1, 5, 7].map((at) => stepFrom(kind, bits, at, 'step', 1))).toEqual([1, 7, 7, 8]);
    expect([8, 7, 3, 1].map((at) => stepFrom(kind, bits, at, 'step', -1))).toEqual([7, 1, 1, 0]);
    expect(stepFrom(Uint8Array.of(), bits, 0, 'step', 1)).toBe(0);
  });
});

describe('the stream under way at a point', () => {
  const bits = { chunk: 1, group: 2, step: 4 };
  const at = (columns: { seq: number[]; landed: number[]; kind: number[] }): number[] => {
    const { seq, landed, kind } = columns;
    const points = { seq: Uint32Array.from(seq), landed: Uint32Array.from(landed), kind: Uint8Array.from(kind) };
    return seq.map((_, i) => runningChunk(points, bits, i));
  };

  it('is that of the chunk, and of the one before where an event comes in between', () => {
    // 3 is asked, 5 answers in four chunks; 4 is logged after the second.
    const seq = [3, 5, 5, 4, 5, 5, 5, 6];
    const landed = [3, 3, 3, 4, 4, 4, 5, 6];
    expect(at({ seq, landed, kind: [0, 3, 1, 0, 1, 1, 0, 0] })).toEqual([-1, 1, 2, 2, 4, 5, -1, -1]);
  });

  it('is not one that has ended, nor the next', () => {
    // Two answers, 2 and 4, with an event between them.
    expect(at({ seq: [2, 2, 3, 4, 4], landed: [0, 2, 3, 3, 4], kind: [3, 0, 0, 3, 0] })).toEqual([0, -1, -1, 3, -1]);
  });

  it('of chunks that are events goes no further than they do', () => {
    expect(at({ seq: [4, 5, 6, 7], landed: [4, 5, 6, 7], kind: [3, 1, 0, 1] })).toEqual([0, 1, -1, 3]);
    expect(runningChunk({ seq: new Uint32Array(), landed: new Uint32Array(), kind: new Uint8Array() }, bits, 0)).toBe(-1);
  });
});

describe('the playhead', () => {
  it('moves with the clock times the speed, stands while paused and ends at the end', () => {
    let now = 5000;
    const clock = new PlayClock(() => now);
    clock.setLength(1000);
    expect(clock.offset).toBe(0);
    clock.play();
    now += 100;
    expect(clock.offset).toBe(100);
    clock.setSpeed(4);
    now += 50;
    expect(clock.offset).toBe(300);
    clock.pause();
    now += 10_000;
    expect([clock.offset, clock.isPlaying]).toEqual([300, false]);
    clock.play();
    clock.setSpeed(0.25);
    now += 400;
    expect(clock.offset).toBe(400);
    clock.seek(900);
    now += 100;
    expect(clock.offset).toBe(925);
    now += 1_000_000;
    expect([clock.offset, clock.isAtEnd]).toEqual([1000, true]);
    clock.seek(-3);
    expect(clock.offset).toBe(0);
  });

  it('stays inside a log that became shorter', () => {
    const clock = new PlayClock(() => 0);
    clock.setLength(1000);
    clock.seek(800);
    clock.setLength(500);
    expect(clock.offset).toBe(500);
  });
});
