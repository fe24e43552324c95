# The peer on Django REST Framework.
import os
from urllib.parse import parse_qs, unquote, urlsplit

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import path

parts = urlsplit(os.environ["DATABASE_URL"])
settings.configure(
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF="drf",
    INSTALLED_APPS=["rest_framework"],
    MIDDLEWARE=[
        "django.middleware.common.CommonMiddleware",
        "django.middleware.http.ConditionalGetMiddleware",
    ],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(parts.path[1:]),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": parse_qs(parts.query).get("host", [parts.hostname or ""])[0],
            "PORT": parts.port or 5432,
            "CONN_MAX_AGE": None,
        }
    },
    USE_TZ=True,
    REST_FRAMEWORK={
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "UNAUTHENTICATED_USER": None,
    },
)
django.setup()

from django.db import models
from rest_framework import generics, pagination, serializers
from rest_framework.response import Response


def table(name):
    return type("Meta", (), {"app_label": "drf", "db_table": name, "managed": False})


class Bar(models.Model):
    name = models.CharField(max_length=64)
    Meta = table("bar")


class Foo(models.Model):
    name = models.CharField(max_length=64)
    bar = models.ForeignKey(Bar, models.PROTECT)
    Meta = table("foo")


class Colere(models.Model):
    name = models.CharField(max_length=64)
    Meta = table("colere")


class Bottage(models.Model):
    cul = models.TextField()
    colere = models.ForeignKey(Colere, models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)
    Meta = table("bottage")


class BarSerializer(serializers.ModelSerializer):
    class Meta:
        model = Bar
        fields = ["id", "name"]


class FooSerializer(serializers.ModelSerializer):
    class Meta:
        model = Foo
        fields = ["id", "name", "bar"]

    def to_representation(self, foo):
        return {**super().to_representation(foo), "bar": BarSerializer(foo.bar).data}


class BottageSerializer(serializers.ModelSerializer):
    bottage = serializers.IntegerField(source="id", read_only=True)
    date = serializers.DateTimeField(source="created_at", read_only=True, format="%Y-%m-%d %H:%M:%S")

    class Meta:
        model = Bottage
        fields = ["bottage", "cul", "colere", "date"]


class Pages(pagination.CursorPagination):
    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 200
    ordering = "id"


class Foos(generics.ListCreateAPIView):
    serializer_class = FooSerializer
    pagination_class = Pages

    def get_queryset(self):
        foos = Foo.objects.select_related("bar")
        bar = self.request.query_params.get("bar")
        return foos.filter(bar=bar) if bar else foos

    def get_success_headers(self, data):
        return {"Location": f"/api/foos/{data['id']}/"}


class OneFoo(generics.RetrieveAPIView):
    serializer_class = FooSerializer
    queryset = Foo.objects.select_related("bar")


class Choices(generics.ListAPIView):
    queryset = Bar.objects.only("id", "name")
    pagination_class = Pages

    def list(self, request):
        bars = self.queryset.filter(name__icontains=request.query_params.get("q", ""))
        page = self.paginate_queryset(bars)
        return Response(
            {
                "choices": {bar.id: bar.name for bar in page},
                "next": self.paginator.get_next_link(),
            }
        )


class Bottages(generics.CreateAPIView):
    serializer_class = BottageSerializer

    def get_success_headers(self, data):
        return {"Location": f"/bottage/{data['bottage']}"}


class LastBottage(generics.RetrieveAPIView):
    serializer_class = BottageSerializer

    def get_object(self):
        return Bottage.objects.latest("id")


urlpatterns = [
    path("api/foos/", Foos.as_view()),
    path("api/foos/<int:pk>/", OneFoo.as_view()),
    path("api/foos/choices/bar/", Choices.as_view()),
    path("bottage/", Bottages.as_view()),
    path("bottage/last", LastBottage.as_view()),
]

application = get_wsgi_application()
