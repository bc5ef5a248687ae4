// The macros of FFmpeg that Swift can't see, and one spelling for what changed its name between FFmpeg 5.1 and 9.

#ifndef CFFMPEG_SHIM_H
#define CFFMPEG_SHIM_H

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavdevice/avdevice.h>
#include <libavformat/avformat.h>
#include <libavutil/adler32.h>
#include <libavutil/avutil.h>
#include <libavutil/crc.h>
#include <libavutil/display.h>
#include <libavutil/hwcontext.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/opt.h>
#include <libavutil/parseutils.h>
#include <libavutil/pixdesc.h>
#include <libavutil/timecode.h>
#include <libswscale/swscale.h>
#include <string.h>

static const int FFErrorAgain = AVERROR(EAGAIN);
static const int FFErrorEndOfFile = AVERROR_EOF;
static const int FFErrorExit = AVERROR_EXIT;
static const int FFErrorExternal = AVERROR_EXTERNAL;
static const int FFErrorInvalidData = AVERROR_INVALIDDATA;
static const int FFErrorOptionNotFound = AVERROR_OPTION_NOT_FOUND;
static const int64_t FFNoTimestamp = AV_NOPTS_VALUE;

static inline int FFError(int posix_error) { return AVERROR(posix_error); }

// What a log callback gets, as text; `arguments` can be used again.
static inline void FFLogText(const char *format, va_list arguments, char *text, int size) {
    va_list copy;
    va_copy(copy, arguments);
    vsnprintf(text, size, format, copy);
    va_end(copy);
}

static inline int64_t FFFrameGetDuration(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    return frame->duration;
#else
    return frame->pkt_duration;
#endif
}

static inline void FFFrameSetDuration(AVFrame *frame, int64_t duration) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    frame->duration = duration;
#else
    frame->pkt_duration = duration;
#endif
}

static inline int FFFrameIsInterlaced(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return !!(frame->flags & AV_FRAME_FLAG_INTERLACED);
#else
    return frame->interlaced_frame;
#endif
}

static inline int FFFrameIsTopFieldFirst(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return !!(frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST);
#else
    return frame->top_field_first;
#endif
}

static inline void FFFrameSetTopFieldFirst(AVFrame *frame, int value) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    frame->flags = value ? frame->flags | AV_FRAME_FLAG_TOP_FIELD_FIRST : frame->flags & ~AV_FRAME_FLAG_TOP_FIELD_FIRST;
#endif
#if LIBAVUTIL_VERSION_MAJOR < 60
    // Encoders of FFmpeg 6.1 and 7 take it for set where either says so.
    frame->top_field_first = value;
#endif
}

// Formats that an encoder takes, ended by AV_PIX_FMT_NONE; null where it takes all.
static inline const enum AVPixelFormat *FFCodecPixelFormats(const AVCodec *codec) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
    const void *formats = NULL;
    avcodec_get_supported_config(NULL, codec, AV_CODEC_CONFIG_PIX_FORMAT, 0, &formats, NULL);
    return (const enum AVPixelFormat *)formats;
#else
    return codec->pix_fmts;
#endif
}

// A scaler of libswscale by its address: Swift sees a structure in it from FFmpeg 8 on, and nothing before.
static inline void *FFScalerAllocate(void) { return sws_alloc_context(); }

static inline int FFScalerSetColorspaceDetails(
    void *scaler, const int *source, int is_source_full, const int *target, int is_target_full) {
    return sws_setColorspaceDetails(scaler, source, is_source_full, target, is_target_full, 0, 1 << 16, 1 << 16);
}

static inline int FFScalerInitialize(void *scaler) { return sws_init_context(scaler, NULL, NULL); }

static inline int FFScalerScale(
    void *scaler, const uint8_t *const source[], const int source_strides[], int rows, uint8_t *const target[],
    const int target_strides[]) {
    return sws_scale(scaler, source, source_strides, 0, rows, target, target_strides);
}

static inline void FFScalerFree(void *scaler) { sws_freeContext(scaler); }

#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
#define FF_SIDE_DATA(stream) ((stream)->codecpar->coded_side_data)
#define FF_SIDE_DATA_COUNT(stream) ((stream)->codecpar->nb_coded_side_data)
#else
#define FF_SIDE_DATA(stream) ((stream)->side_data)
#define FF_SIDE_DATA_COUNT(stream) ((stream)->nb_side_data)
#endif

static inline int FFStreamSideDataCount(const AVStream *stream) { return (int)FF_SIDE_DATA_COUNT(stream); }

static inline const AVPacketSideData *FFStreamSideData(const AVStream *stream, int index) {
    return &FF_SIDE_DATA(stream)[index];
}

// Copies the bytes into the stream's side data; the type must not be there yet.
static inline int FFStreamAddSideData(
    AVStream *stream, enum AVPacketSideDataType type, const uint8_t *bytes, size_t size) {
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
    AVPacketSideData *side_data = av_packet_side_data_new(
        &stream->codecpar->coded_side_data, &stream->codecpar->nb_coded_side_data, type, size, 0);
    uint8_t *destination = side_data ? side_data->data : NULL;
#else
    uint8_t *destination = av_stream_new_side_data(stream, type, size);
#endif
    if (!destination) return AVERROR(ENOMEM);
    memcpy(destination, bytes, size);
    return 0;
}

// Forgets the side data that copying codec parameters brought along, so that it can be added by choice.
static inline void FFStreamClearSideData(AVStream *stream) {
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
    av_packet_side_data_free(&stream->codecpar->coded_side_data, &stream->codecpar->nb_coded_side_data);
#else
    (void)stream;
#endif
}

#endif
