"""Writes two seconds of stereo sound, 16 bits at 44.1 kHz: integer arithmetic only, the same everywhere."""
import array, sys

samples, phase, seed, history = array.array("h"), 0, 1, [0] * 4000
for i in range(2 * 44100):
    phase += 400 + i // 40
    ramp = phase % 65536 - 32768
    wave = ramp * (32768 - abs(ramp)) // 32768
    seed = (seed * 1103515245 + 12345) % 2 ** 31
    noise = (seed >> 16) % 801 - 400
    echo = history[i % 4000]
    left = wave // 2 + noise
    history[i % 4000] = (left + echo) // 3
    samples.append(max(-32768, min(32767, left + echo)))
    samples.append(max(-32768, min(32767, wave // 3 + echo - noise)))
if sys.byteorder == "big":
    samples.byteswap()
with open(sys.argv[1], "wb") as f:
    samples.tofile(f)
