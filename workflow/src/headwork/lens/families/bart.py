"""BART and its kind: an encoder and a decoder that attends to it."""

from headwork.lens.families.places import Entry, Place

_OWN = Place("self_attn", "self_attn.out_proj")
_ENCODER = Entry({"encoder": _OWN})
_DECODER = Entry({"decoder": _OWN, "cross": Place("encoder_attn", "encoder_attn.out_proj")})

FAMILIES = {
    "bart": {"BartEncoderLayer": _ENCODER, "BartDecoderLayer": _DECODER},
    "m2m_100": {"M2M100EncoderLayer": _ENCODER, "M2M100DecoderLayer": _DECODER},
    "marian": {"MarianEncoderLayer": _ENCODER, "MarianDecoderLayer": _DECODER},
    "mbart": {"MBartEncoderLayer": _ENCODER, "MBartDecoderLayer": _DECODER},
    "opt": {"OPTDecoderLayer": Entry({"decoder": _OWN})},
    "pegasus": {"PegasusEncoderLayer": _ENCODER, "PegasusDecoderLayer": _DECODER},
    "whisper": {"WhisperEncoderLayer": _ENCODER, "WhisperDecoderLayer": _DECODER},
}
